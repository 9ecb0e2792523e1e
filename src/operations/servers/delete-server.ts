import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import { openServer, requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Deletes a server with its messages, attachments and keys. Rejects with `not_found` or `forbidden`. */
export async function deleteServer(
  context: Pick<Context, "store" | "revocations">,
  principal: Principal,
  idText: string,
): Promise<void> {
  const server = await openServer(context, principal, idText);
  requireAccount(principal);
  if (!(await context.store.deleteServer(server.id))) throw notFound("Server");
  context.revocations.publish(null);
}
