import type { Principal } from "../core/api-key.ts";
import type { Server } from "../core/server.ts";
import { openServer, orNotFound } from "./access.ts";
import type { Context } from "./context.ts";

/** One server; rejects with `not_found`. */
export async function getServer(
  context: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<Server> {
  return openServer(context, principal, idText);
}

/** The password that opens the server over SMTP AUTH; rejects with `not_found`. */
export async function getServerPassword(
  context: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<string> {
  const server = await openServer(context, principal, idText);
  return orNotFound(await context.store.getServerPassword(server.id), "Server");
}
