import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Opens a listener; returns its port. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
