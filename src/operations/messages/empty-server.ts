import type { Principal } from "../../core/api-key.ts";
import { openServer, orNotFound } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Deletes every message of a server, whatever their number, at once for every reader; rejects with `not_found`. */
export async function emptyServer(
  context: Pick<Context, "store" | "events">,
  principal: Principal,
  idText: string,
): Promise<void> {
  const server = await openServer(context, principal, idText);
  const sequence = orNotFound(await context.store.emptyServer(server.id), "Server");
  context.events.publish({ server: server.id, change: { sequence, kind: "emptied", id: null }, message: null });
}
