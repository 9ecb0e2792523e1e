import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound, Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";
import { build, type ValueOf } from "../../core/schema.ts";
import { identityCountMax } from "../../store/mark-store.ts";
import type { Context } from "../context.ts";
import { findMessages } from "../services/search/find-messages.ts";
import type { SearchQuery } from "../services/search/read-search.ts";
import { openMessageId, openServer, orNotFound } from "../services/security/access.ts";

/** Messages to delete. */
interface MessagesOfServer {
  readonly server: ServerId;
  readonly ids: readonly MessageId[];
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Result of deleting several messages. */
interface EachDeletion {
  /** Messages that existed. */
  readonly deleted: number;
  /** Messages that could not be deleted, with the reasons. */
  readonly failed: readonly { readonly id: MessageId; readonly problem: Problem }[];
}

/** Deletions under way at once, so that they share commits. */
const concurrentCount = 50;

/** Deletes messages of a server in order until the caller disconnects. Rejects with errors other than a {@link Problem}. */
async function deleteEach(
  { store, events }: Context,
  { server, ids, signal }: MessagesOfServer,
): Promise<EachDeletion> {
  let deleted = 0;
  const failed: { id: MessageId; problem: Problem }[] = [];
  const deleteOne = async (id: MessageId): Promise<void> => {
    const sequence = await store.deleteMessage(id);
    if (sequence === undefined) return;
    deleted += 1;
    events.publish({ server, change: { sequence, kind: "deleted", id }, message: null });
  };
  for (let at = 0; at < ids.length && !signal.aborted; at += concurrentCount) {
    const batch = ids.slice(at, at + concurrentCount).map(async (id) =>
      deleteOne(id).catch((problem: unknown) => {
        if (!(problem instanceof Problem)) throw problem;
        failed.push({ id, problem });
      }),
    );
    await Promise.all(batch);
  }
  return { deleted, failed };
}

/** Request to delete the messages that match a query. */
interface DeletionRequest {
  readonly server: string;
  /** Null for none. */
  readonly query: SearchQuery | null;
  readonly direction: Direction;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Schema of the result of a deletion by a query. */
export const deletionResultSchema = build.object(
  {
    deleted: build.integer("Number of deleted messages."),
    hasMore: build.boolean("Whether more messages match: repeat the request."),
  },
  { $id: "DeletionResult" },
);

/**
 * Deletes the newest messages that match a query, at most `identityCountMax`; stops when the caller disconnects. Rejects with
 * `not_found`, and with a 400 on `q` when it has no terms, so that no query that is cut short empties a server.
 */
export async function deleteMatching(
  context: Context,
  principal: Principal,
  { server: serverText, query, direction, signal }: DeletionRequest,
): Promise<ValueOf<typeof deletionResultSchema>> {
  const server = (await openServer(context, principal, serverText)).id;
  if (query === null || query.terms.length === 0) throw invalidField("q", "Give at least one term", "required");
  const within = { itemsPerPage: identityCountMax, receivedAfter: null, afterSequence: null, direction };
  const bounds = { ...within, caller: principal.keyId, signal };
  const { identities, hasMore } = await findMessages(context.store, server, {
    expression: query.expression,
    within: bounds,
  });
  const ids = identities.map(({ id }) => id);
  const { deleted, failed } = await deleteEach(context, { server, ids, signal });
  const [first] = failed;
  if (first !== undefined) throw first.problem;
  return { deleted, hasMore };
}

/** Deletes a message with its attachments and raw bytes. Rejects with `not_found`. */
export async function deleteMessage(context: Context, principal: Principal, idText: string): Promise<void> {
  const id = openMessageId(principal, idText);
  const sequence = orNotFound(await context.store.deleteMessage(id), "Message");
  const { server } = decodeMessageId(id);
  context.events.publish({ server, change: { sequence, kind: "deleted", id }, message: null });
}

/** Result of a request to delete messages by their ids. */
interface BatchDeletion {
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
  context: Context,
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

/** Deletes all messages of a server, atomically for all readers. Rejects with `not_found`. */
export async function emptyServer(context: Context, principal: Principal, idText: string): Promise<void> {
  const server = await openServer(context, principal, idText);
  const sequence = orNotFound(await context.store.emptyServer(server.id), "Server");
  context.events.publish({ server: server.id, change: { sequence, kind: "emptied", id: null }, message: null });
}
