import type { Principal } from "../../core/api-key.ts";
import type { Server } from "../../core/server.ts";
import type { Context } from "../context.ts";

/** Returns the servers that the principal can access, by name. */
export async function listServers(context: Pick<Context, "store">, principal: Principal): Promise<readonly Server[]> {
  if (principal.server === null) return context.store.listServers();
  const only = await context.store.getServer(principal.server);
  return only === undefined ? [] : [only];
}
