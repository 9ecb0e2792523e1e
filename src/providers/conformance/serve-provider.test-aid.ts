/** HTTP server for tests that call a provider's endpoints with its own SDK. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { callEndpoint } from "./call-endpoint.test-aid.ts";
import { readForm } from "../../core/read-form.ts";
import type { Provider, ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import { memoryServices, type MemoryServices } from "./services.test-aid.ts";

/** Running server. */
export interface ServedProvider {
  /** URL of the provider, without a slash at its end. */
  readonly url: string;
  readonly memory: MemoryServices;
  readonly close: () => Promise<void>;
}

/** Serves a provider over in-memory services, whose only key is `validKey`. */
export async function serveProvider(
  provider: Provider,
  memory: MemoryServices = memoryServices(),
): Promise<ServedProvider> {
  const prefix = `/providers/${provider.name}`;
  const server = createServer((incoming, outgoing) => {
    const answer = async (): Promise<void> => {
      const { status, headers = {}, body } = await respond(provider, memory, { incoming, prefix });
      const type = body === null ? {} : { "content-type": body.contentType };
      outgoing.writeHead(status, { ...headers, ...type }).end(body?.text);
    };
    answer().catch((error: unknown) => outgoing.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}${prefix}`, memory, close };
}

async function respond(
  provider: Provider,
  memory: MemoryServices,
  { incoming, prefix }: { readonly incoming: IncomingMessage; readonly prefix: string },
): Promise<ProviderResponse> {
  const { headers } = incoming;
  const url = new URL(`http://localhost${incoming.url ?? "/"}`);
  const fields = Array.from(url.searchParams);
  const request: ProviderRequest = {
    method: incoming.method as ProviderMethod,
    headers,
    path: url.pathname.slice(prefix.length) || "/",
    params: {},
    url: url.href,
    body: await buffer(incoming),
    form: readForm(""),
    fields,
    key: provider.readKey?.(headers, fields) ?? null,
  };
  return callEndpoint(provider, request, memory.services);
}
