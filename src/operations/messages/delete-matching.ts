import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import type { Direction } from "../../core/message.ts";
import { identityCountMax } from "../../store/mark-store.ts";
import { findMessages } from "../services/search/find-messages.ts";
import { openServer } from "../services/security/access.ts";
import type { SearchQuery } from "../services/search/read-query.ts";
import type { Context } from "../context.ts";

/** Request to delete the messages that match a query. */
export interface DeletionRequest {
  readonly server: string;
  /** Null for none. */
  readonly query: SearchQuery | null;
  readonly direction: Direction;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Result of a deletion. */
export interface DeletionResult {
  readonly deleted: number;
  /** Whether more messages match: repeat the request. */
  readonly hasMore: boolean;
}

/** Deletions under way at once, so that they share commits. */
const concurrentCount = 50;

/**
 * Deletes the newest messages that match a query, at most `identityCountMax`; stops when the caller disconnects. Rejects with
 * `not_found`, and with a 400 on `q` when it has no terms, so that no query that is cut short empties a server.
 */
export async function deleteMatching(
  { store, events }: Pick<Context, "store" | "events">,
  principal: Principal,
  { server: serverText, query, direction, signal }: DeletionRequest,
): Promise<DeletionResult> {
  const server = (await openServer({ store }, principal, serverText)).id;
  if (query === null || query.terms.length === 0) throw invalidField("q", "Give at least one term", "required");
  const within = { itemsPerPage: identityCountMax, receivedAfter: null, afterSequence: null, direction };
  const bounds = { ...within, caller: principal.keyId, signal };
  const { identities, hasMore } = await findMessages(store, server, { expression: query.expression, within: bounds });
  let deleted = 0;
  for (let at = 0; at < identities.length && !signal.aborted; at += concurrentCount) {
    const batch = identities.slice(at, at + concurrentCount);
    const sequences = await Promise.all(batch.map(async ({ id }) => ({ id, sequence: await store.deleteMessage(id) })));
    for (const { id, sequence } of sequences) {
      if (sequence === undefined) continue;
      deleted += 1;
      events.publish({ server, change: { sequence, kind: "deleted", id }, message: null });
    }
  }
  return { deleted, hasMore };
}
