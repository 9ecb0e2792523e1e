import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "../log/log.ts";

/** Opens a listener; returns its port. Errors of the open listener, such as those of `accept`, are logged. */
export async function listen(
  server: Server,
  { host, port, log }: { readonly host: string; readonly port: number; readonly log: Pick<Log, "error"> },
): Promise<number> {
  server.listen({ host, port });
  await once(server, "listening");
  server.on("error", (error) => {
    log.error({ err: error }, "The HTTP listener failed");
  });
  return (server.address() as AddressInfo).port;
}
