import type { Principal } from "../../core/api-key.ts";
import { openServer, orNotFound } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Deletes all messages of a server, atomically for all readers. Rejects with `not_found`. */
export async function emptyServer(
  context: Pick<Context, "store" | "events">,
  principal: Principal,
  idText: string,
): Promise<void> {
  const server = await openServer(context, principal, idText);
  const sequence = orNotFound(await context.store.emptyServer(server.id), "Server");
  context.events.publish({ server: server.id, change: { sequence, kind: "emptied", id: null }, message: null });
}
