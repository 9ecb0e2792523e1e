/** Statements that add scans and repeated parses of messages to their queues, in the transactions of the messages. */
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { NewScan } from "../scanner-store.ts";
import { rowsOf, type Query } from "../sql/query.ts";

/** Adds scans of messages; those that exist stay. */
export function* addScans(scans: readonly NewScan[]): Query<void> {
  const sql =
    "insert into scan (message, server, due_at, attempts) values ($1, $2, $3, 0) on conflict (message) do nothing";
  for (const { message, dueAt } of scans) yield* rowsOf(sql, [message, decodeMessageId(message).server, dueAt]);
}

/** Removes the queued scans of a server. */
export function* removeScans(server: ServerId): Query<void> {
  yield* rowsOf("delete from scan where server = $1", [server]);
}

/** Adds emails to parse again; those that exist stay. */
export function* addReparses(messages: readonly MessageId[], dueAt: number): Query<void> {
  const sql = "insert into reread (message, attempts, due_at) values ($1, 0, $2) on conflict (message) do nothing";
  for (const message of messages) yield* rowsOf(sql, [message, dueAt]);
}

/** Removes an email from those to parse again. */
export function* removeReparse(message: MessageId): Query<void> {
  yield* rowsOf("delete from reread where message = $1", [message]);
}
