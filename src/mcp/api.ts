/** The HTTP API of the service as tools use it: over the network, or within the service. */

/** Request to the API. */
export interface ApiRequest {
  readonly method: "GET" | "POST";
  /** Path without the query string; its parts are encoded. */
  readonly path: string;
  /** Query parameters; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Body, sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Largest body of the response that is read, in bytes. */
  readonly bytesMax: number;
}

/** Response of the API, whatever its status. */
export interface ApiResponse {
  readonly status: number;
  /** Header fields by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** Whether the response has more than `bytesMax`; `bytes` is its beginning then. */
  readonly isCut: boolean;
}

/**
 * Sends a request with the key of the caller. Resolves also for error statuses; rejects with {@link Unreachable} when
 * there is no response, and with the reason of the signal when that aborts.
 */
export type Api = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;

/** The service did not respond. The message says what to do. */
export class Unreachable extends Error {
  override readonly name: string = "Unreachable";
}

/** Returns the path and query string of a request. */
export function targetOf({ path, query = {} }: Pick<ApiRequest, "path" | "query">): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return parameters.length === 0 ? path : `${path}?${parameters.join("&")}`;
}

/** Reads at most `bytesMax` of a body. */
export async function readAtMost(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytesMax: number,
): Promise<Pick<ApiResponse, "bytes" | "isCut">> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.byteLength;
    if (size > bytesMax) break;
  }
  const bytes = Buffer.concat(parts);
  return { bytes: bytes.subarray(0, bytesMax), isCut: size > bytesMax };
}
