/** Checks a key and a server with the running service before they are handed to a test run. */
import { readFileSync } from "node:fs";
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { IncomingMessage } from "node:http";
import { once } from "node:events";
import type { ServiceAddress } from "../app/service-file.ts";

/** A key that the service knows, and a server that it opens. */
export interface ClientAccess {
  readonly apiKey: string;
  readonly server: string;
}

const timeoutMs = 30_000;

/**
 * Returns the first of the keys that the service knows, with the wanted server, or the first server. Without an API there
 * is nobody to ask, and the first key counts. Throws an `Error` that says what to do when no key is known to the service,
 * when the server does not exist, and when the service does not answer.
 */
export async function findAccess(
  address: ServiceAddress,
  keys: readonly string[],
  wanted: string | undefined,
): Promise<ClientAccess> {
  const [first] = keys;
  if (first === undefined) throw new Error("The service runs with a key of your own; give it as RESTANTE_API_KEY");
  const server = wanted ?? address.server;
  if (address.url === null && address.httpsUrl === null) return { apiKey: first, server };
  for (const apiKey of keys) {
    const status = await statusOf(address, apiKey, server);
    if (status === 404 && wanted !== undefined) throw new Error(`--server: there is no server ${wanted}`);
    if (status === 429) throw new Error("The service has seen too many wrong keys from here; try again in a minute");
    if (status !== 401) return { apiKey, server };
  }
  throw new Error("The service does not know this key; give a valid one as RESTANTE_API_KEY");
}

async function statusOf(address: ServiceAddress, key: string, server: string): Promise<number> {
  const path = `/api/servers/${encodeURIComponent(server)}`;
  const headers = { authorization: `Bearer ${key}` };
  const options = { headers, agent: false, signal: AbortSignal.timeout(timeoutMs) };
  const { url, httpsUrl, caFile } = address;
  const trust = caFile === null ? { rejectUnauthorized: false } : { ca: readFileSync(caFile) };
  const asked =
    url === null
      ? requestSecure(new URL(path, httpsUrl ?? ""), { ...options, ...trust })
      : requestPlain(new URL(path, url), options);
  try {
    const [response] = (await once(asked.end(), "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  } catch (error) {
    throw new Error(`The service does not answer at ${url ?? httpsUrl ?? ""}; is it still running?`, { cause: error });
  }
}
