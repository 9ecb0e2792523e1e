import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import type { Direction } from "../../core/message.ts";
import { identityCountMax } from "../../store/mark-store.ts";
import { findMessages } from "../services/search/find-messages.ts";
import { openServer } from "../services/security/access.ts";
import type { SearchQuery } from "../services/search/read-query.ts";
import type { Context } from "../context.ts";
import { deleteEach } from "./delete-each.ts";

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
  const ids = identities.map(({ id }) => id);
  const { deleted, failed } = await deleteEach({ store, events }, { server, ids, signal });
  const [first] = failed;
  if (first !== undefined) throw first.problem;
  return { deleted, hasMore };
}
