import type { ChangeKind } from "../../core/events.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";

/** Keys of a server's rows, its last change and its counts. */
export interface ServerPosition {
  /** Identifies the server in tables of messages and changes. */
  readonly number: number;
  /** Identifies its present messages in all other tables; emptying the server changes it. */
  readonly epoch: number;
  /** Number of the last change. */
  readonly sequence: number;
  readonly receivedCount: number;
  readonly sentCount: number;
  readonly byteCount: number;
  readonly quotaMessages: number | null;
  readonly quotaBytes: number | null;
  /** Id of the team that owns the server; null for none. */
  readonly team: string | null;
}

/** Journal of changes, for statements of a transaction that has locked the server. */
export interface JournalRows {
  /** Appends the next change of a server and returns its number. */
  append(server: number, kind: ChangeKind, message: MessageId | null): Query<number>;
  /** Lets changes be trimmed that the cursor of the server, which was at `from` until now, has kept longer than usual. */
  release(server: ServerId, from: number): Query<void>;
}

/**
 * Locks the row of a server until the end of the transaction. No other transaction can then change the server or its
 * messages, and every statement sees all earlier changes. Returns undefined when there is no such server. Callers lock
 * several servers in the order of their numbers.
 */
export function* lockServer(dialect: SqlDialect, server: ServerId): Query<ServerPosition | undefined> {
  const [row] = yield* rowsOf<ServerPosition>(lockOf(dialect), [dialect.toServer(server)]);
  return row;
}

/** Statements by dialect: every mail locks its server. */
const locks = new WeakMap<SqlDialect, string>();

function lockOf(dialect: SqlDialect): string {
  const known = locks.get(dialect);
  if (known !== undefined) return known;
  const { serverNumber, serverKey, forUpdate } = dialect;
  const lock = `select ${serverNumber} as number, epoch, sequence, received_count as "receivedCount",
    sent_count as "sentCount", byte_count as "byteCount", quota_messages as "quotaMessages", quota_bytes as "quotaBytes", team
    from server where ${serverKey} = $1 ${forUpdate}`;
  locks.set(dialect, lock);
  return lock;
}
