/** Options of the client and of its requests. */

/** Options of every request. */
export interface RequestOptions {
  /** Aborts the request and its retries; the method then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds after which a request without a response fails with `RequestTimeoutError`; for a wait, in addition to its
   * own time. Default: that of the client.
   */
  readonly requestTimeout?: number | undefined;
}

/** Options of a new client. */
export interface RestanteClientOptions {
  /**
   * Base URL of the service, such as `http://127.0.0.1:8025`. Default: `RESTANTE_URL` of the environment, where there is
   * one; in a browser, the origin of the page.
   */
  readonly url?: string | URL | undefined;
  /** API key: an account key, or one of a server. Default: `RESTANTE_API_KEY` of the environment. */
  readonly apiKey?: string | undefined;
  /** Milliseconds after which a request without a response fails. Default: 30,000. */
  readonly requestTimeout?: number | undefined;
  /**
   * Retries of a request that may be repeated safely, after a lost connection, 429 and 503. Default: 2. Waits count
   * their time over all retries.
   */
  readonly retries?: number | undefined;
  /** Function that sends requests. Default: the global `fetch`. Pass one of your own to set a proxy, a CA or header fields. */
  readonly fetch?: typeof fetch | undefined;
}

/** Checked settings of a client. */
export interface ClientSettings {
  /** Without trailing slash. */
  readonly url: string;
  readonly apiKey: string;
  readonly requestTimeout: number;
  readonly retries: number;
  readonly fetch: typeof fetch;
}

const defaultRequestTimeoutMs = 30_000;
const defaultRetries = 2;

/** Returns the settings of a client; throws a `TypeError` that names the missing or wrong option. */
export function readClientOptions(options: RestanteClientOptions): ClientSettings {
  const given = options.url ?? environment("RESTANTE_URL") ?? pageOrigin();
  if (given === undefined)
    throw new TypeError("url: give the URL of the service, or set RESTANTE_URL, for example http://127.0.0.1:8025");
  const apiKey = options.apiKey ?? environment("RESTANTE_API_KEY");
  if (!apiKey)
    throw new TypeError("apiKey: give an API key, or set RESTANTE_API_KEY; `restante env` prints both variables");
  // Called as a method of the options, the function of a browser would reject its receiver.
  const send = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  return {
    url: baseUrlOf(given),
    apiKey,
    requestTimeout: options.requestTimeout ?? defaultRequestTimeoutMs,
    retries: options.retries ?? defaultRetries,
    fetch: send,
  };
}

function baseUrlOf(given: string | URL): string {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    // The parser's message adds nothing.
    throw new TypeError(`url: ${JSON.stringify(String(given))} is not a URL`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new TypeError("url: must start with http:// or https://");
  if (url.username !== "" || url.password !== "")
    throw new TypeError("url: must have no user name and password; give the key as apiKey");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Value of an environment variable where there are any: not in browsers. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  return process?.env?.[name] || undefined;
}

function pageOrigin(): string | undefined {
  const { location } = globalThis as { location?: { origin?: string } };
  const origin = location?.origin;
  return origin === undefined || origin === "null" ? undefined : origin;
}
