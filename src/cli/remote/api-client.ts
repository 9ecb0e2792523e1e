/** HTTP client of commands for a running service. */

/** Client that sends requests with one key. */
export interface ApiClient {
  /** Whether a restante service responds at the URL. */
  isThere(): Promise<boolean>;
  /** Sends a request and returns the JSON of the response; rejects with the error message of the service. */
  send<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Sends a request and returns the list of the response, in either form (`RESTANTE_LIST_ENVELOPE`); rejects as `send` does. */
  list<Item>(method: "GET" | "PUT", path: string, body?: unknown): Promise<readonly Item[]>;
  /** Sends a GET request and returns the content of the response in chunks; rejects as `send` does. */
  open(path: string): Promise<AsyncIterable<Uint8Array>>;
}

const timeoutMs = 30_000;

/** Opens a client for the service at `baseUrl`. */
export function openApiClient(baseUrl: string, key: string): ApiClient {
  const request = (method: string, path: string, body?: unknown): Promise<Response> => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    return fetch(baseUrl + path, { method, headers, signal: AbortSignal.timeout(timeoutMs), ...content });
  };
  const send = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await request(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(errorMessage(text, response.status));
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  };
  return {
    async isThere() {
      try {
        // Without the key: another program may listen there.
        const { ok, status, headers } = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(timeoutMs) });
        return ok || (status === 401 && headers.get("www-authenticate") === 'Basic realm="restante"');
      } catch {
        // Connection failed: no service.
        return false;
      }
    },
    send,
    async list<Item>(method: "GET" | "PUT", path: string, body?: unknown): Promise<readonly Item[]> {
      const list = await send<readonly Item[] | { readonly items: readonly Item[] }>(method, path, body);
      return "items" in list ? list.items : list;
    },
    async open(path: string): Promise<AsyncIterable<Uint8Array>> {
      const late = new AbortController();
      // Of the header section only: content may take longer.
      const timer = setTimeout(() => {
        late.abort(new Error("The service did not respond in time"));
      }, timeoutMs);
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(baseUrl + path, { headers, signal: late.signal }).finally(() => {
        clearTimeout(timer);
      });
      if (!response.ok) throw new Error(errorMessage(await response.text(), response.status));
      return response.body ?? noContent();
    },
  };
}

async function* noContent(): AsyncGenerator<Uint8Array, void> {
  // A response without content has no chunks.
}

function errorMessage(text: string, status: number): string {
  if (status === 401) return "Invalid API key; set RESTANTE_API_KEY to a key of this service";
  try {
    const { message, errors } = JSON.parse(text) as ErrorBody;
    const details = errors.flatMap(({ field, detail }) => detail.map((one) => `${field}: ${one.description}`));
    return [message, ...details].join("; ");
  } catch {
    // Not an error body of the service: only the status is known.
    return `The service responded with status ${status}`;
  }
}

interface ErrorBody {
  readonly message: string;
  readonly errors: readonly { readonly field: string; readonly detail: readonly { readonly description: string }[] }[];
}
