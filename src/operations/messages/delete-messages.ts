import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import { decodeMessageId } from "../../core/ids.ts";
import type { Context } from "../context.ts";
import { openMessageId, openServer } from "../services/security/access.ts";
import { deleteEach } from "./delete-each.ts";

/** Result of a request to delete messages by their ids. */
export interface BatchDeletion {
  /** Messages that existed. */
  readonly deleted: number;
  /** Ids of messages that could not be deleted. */
  readonly failed: readonly string[];
}

/**
 * Deletes messages of a server by their ids. Rejects with `not_found`, before any is deleted, when there is no such server or
 * one of the ids is not of its messages, and with the reason when all deletions fail.
 */
export async function deleteMessages(
  context: Pick<Context, "store" | "events">,
  principal: Principal,
  request: { readonly server: string; readonly ids: readonly string[]; readonly signal: AbortSignal },
): Promise<BatchDeletion> {
  const { id: server } = await openServer(context, principal, request.server);
  const ids = request.ids.map((text) => openMessageId(principal, text));
  if (ids.some((id) => decodeMessageId(id).server !== server)) throw notFound("Message");
  const { deleted, failed } = await deleteEach(context, { server, ids, signal: request.signal });
  const [first] = failed;
  if (first !== undefined && failed.length === ids.length) throw first.problem;
  return { deleted, failed: failed.map(({ id }) => id) };
}
