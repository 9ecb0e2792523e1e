import type { Principal } from "../core/api-key.ts";
import type { Server } from "../core/server.ts";
import { maySee } from "./access.ts";
import type { Context } from "./context.ts";

/** Every server that exists for the principal, by name. */
export async function listServers(context: Pick<Context, "store">, principal: Principal): Promise<readonly Server[]> {
  const servers = await context.store.listServers();
  return servers.filter((server) => maySee(principal, server.id));
}
