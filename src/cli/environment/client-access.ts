/** Validation of a key and a server with the running service, before `restante env` prints them. */
import { readFileSync } from "node:fs";
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { IncomingMessage } from "node:http";
import { once } from "node:events";
import type { ServiceAddress } from "../../app/service-file.ts";

/** Valid key, and a server that it has access to. */
export interface ClientAccess {
  readonly apiKey: string;
  readonly server: string;
}

const timeoutMs = 30_000;

/**
 * Returns the first valid key, with the requested server, or the first server by default. Without HTTP listeners, returns the
 * first key unchecked. Throws an `Error` for the operator when no key is valid, when the server does not exist, and when the
 * service does not respond.
 */
export async function findAccess(
  address: ServiceAddress,
  keys: readonly string[],
  requested: string | undefined,
): Promise<ClientAccess> {
  const [first] = keys;
  if (first === undefined) throw new Error("The key of the service is not in its data folder; set RESTANTE_API_KEY");
  const server = requested ?? address.server;
  if (address.url === null && address.httpsUrl === null) return { apiKey: first, server };
  for (const apiKey of keys) {
    const status = await statusOf(address, apiKey, server);
    if (status === 404 && requested !== undefined) throw new Error(`--server: there is no server ${requested}`);
    if (status === 429) throw new Error("Too many wrong API keys from this address; retry in a minute");
    if (status !== 401) return { apiKey, server };
  }
  throw new Error("Invalid API key; set RESTANTE_API_KEY to a key of this service");
}

async function statusOf(address: ServiceAddress, key: string, server: string): Promise<number> {
  const path = `/api/servers/${encodeURIComponent(server)}`;
  const headers = { authorization: `Bearer ${key}` };
  const options = { headers, agent: false, signal: AbortSignal.timeout(timeoutMs) };
  const { url, httpsUrl, caFile } = address;
  const trust = caFile === null ? { rejectUnauthorized: false } : { ca: readFileSync(caFile) };
  const request =
    url === null
      ? requestSecure(new URL(path, httpsUrl ?? ""), { ...options, ...trust })
      : requestPlain(new URL(path, url), options);
  try {
    const [response] = (await once(request.end(), "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  } catch (error) {
    throw new Error(`The service does not respond at ${url ?? httpsUrl ?? ""}; check that it is running`, {
      cause: error,
    });
  }
}
