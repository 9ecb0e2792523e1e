/** The API of a running service, as commands call it. */

/** Sends requests with one key. */
export interface ApiClient {
  /** Whether a service answers there. */
  isThere(): Promise<boolean>;
  /** The answer's JSON; rejects with the message that the service gave. */
  send<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
}

const timeoutMs = 30_000;

/** A client of the service at `baseUrl`. */
export function openApiClient(baseUrl: string, key: string): ApiClient {
  const request = (method: string, path: string, body?: unknown): Promise<Response> => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    return fetch(baseUrl + path, { method, headers, signal: AbortSignal.timeout(timeoutMs), ...content });
  };
  return {
    async isThere() {
      try {
        // Without the key: whatever answers there may be another program.
        const { ok, status, headers } = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(timeoutMs) });
        return ok || (status === 401 && headers.get("www-authenticate") === 'Basic realm="restante"');
      } catch {
        // Nothing answers there, which is the answer.
        return false;
      }
    },
    async send<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
      const response = await request(method, path, body);
      const text = await response.text();
      if (!response.ok) throw new Error(refusalIn(text, response.status));
      return (text === "" ? undefined : JSON.parse(text)) as Answer;
    },
  };
}

function refusalIn(text: string, status: number): string {
  if (status === 401) return "The service does not know this key; give a valid one as RESTANTE_API_KEY";
  try {
    const { message, errors } = JSON.parse(text) as ErrorBody;
    const details = errors.flatMap(({ field, detail }) => detail.map((one) => `${field}: ${one.description}`));
    return [message, ...details].join("; ");
  } catch {
    // Not the service's error body: the status tells what there is to tell.
    return `The service answered with status ${status}`;
  }
}

interface ErrorBody {
  readonly message: string;
  readonly errors: readonly { readonly field: string; readonly detail: readonly { readonly description: string }[] }[];
}
