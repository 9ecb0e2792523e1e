import { decodeMessageId } from "../../../core/ids.ts";
import type { MessageId } from "../../../core/ids.ts";
import type { DeliveryStatus } from "../../../core/delivery.ts";
import type {
  AttemptOutcome,
  DeliveryState,
  OutboxEntry,
  OutboxRoute,
  OutboxStore,
  RecordedAttempt,
} from "../../outbox-store.ts";
import { claims } from "../../queues/leased-tables.ts";
import { addReports } from "../callbacks/pending-reports.ts";
import { appendChange } from "../messages/changes.ts";
import type { Database, Session } from "../connection/database.ts";
import { serverIdOf, serverNumberOf } from "../messages/id-slots.ts";
import { openQueue } from "../queues/postgres-queues.ts";
import { lockServer } from "../account/servers.ts";
import { fromNullableText, fromText, toNullableText, toText } from "../connection/text.ts";

interface EntryRow {
  readonly id: string;
  readonly message: MessageId | null;
  readonly route: OutboxRoute;
  readonly mail_from: string;
  readonly rcpt_to: string;
  readonly content: Buffer | null;
  readonly attempts: number;
  readonly updated_at: number;
}

interface StateRow {
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly updated_at: number;
}

/** Creates the outbox over all servers; each entry is leased by one node at a time. */
export function createOutbox(database: Database): OutboxStore {
  return {
    queue: openQueue(database, "outbox", {
      columns: "entry as id, message, route, mail_from, rcpt_to, content, attempts, updated_at",
      toItem: toEntry,
      record: async (session, outcomes) => {
        const results: (RecordedAttempt | undefined)[] = [];
        for (const outcome of outcomes) results.push(await recordLocked(session, outcome));
        return results;
      },
    }),
    getDelivery: async (message) => {
      const rows = await database.query<StateRow>(
        `select status, attempts, last_error, updated_at from outbox
         where server_id = $1 and epoch = (select epoch from server where server_id = $1) and message = $2
         order by updated_at, entry`,
        [serverNumberOf(decodeMessageId(message).server), message],
      );
      return rows.length === 0 ? undefined : summarize(rows);
    },
  };
}

/** Locks the row of the server first, as everywhere. */
async function recordLocked(session: Session, outcome: AttemptOutcome): Promise<RecordedAttempt | undefined> {
  const [found] = await session.query<{ readonly server_id: number | null; readonly epoch: number | null }>(
    "select server_id, epoch from outbox where entry = $1",
    [toText(outcome.id)],
  );
  if (found === undefined) return undefined;
  const { server_id: server, epoch } = found;
  const position = server === null ? undefined : await lockServer(session, serverIdOf(server));
  if (server !== null && position?.epoch !== epoch) return undefined;
  return await record(session, outcome, server);
}

async function record(
  session: Session,
  { id: entry, lease, status, lastError, at, dueAt }: AttemptOutcome,
  server: number | null,
): Promise<RecordedAttempt | undefined> {
  const held = "entry = $1 and lease = $2 and due_at is not null";
  const names = [toText(entry), toText(lease)];
  if (server === null && status !== "Queued") {
    const rows = await session.query(`delete from outbox where ${held} returning entry`, names);
    return rows.length === 0 ? undefined : { sequence: null };
  }
  const [row] = await session.query<{ message: MessageId | null }>(
    `update outbox set status = $3, last_error = $4, updated_at = $5, due_at = $6, lease = null, ${claims.ended}
     where ${held} returning message`,
    [...names, status, toNullableText(lastError), at, dueAt],
  );
  if (row === undefined) return undefined;
  const { message } = row;
  if (server === null || message === null) return { sequence: null };
  if (status === "Sent") await addReports(session, [{ message, server, at }]);
  return {
    sequence: status === "Failed" ? await appendChange(session, server, { kind: "failed", id: message }) : null,
  };
}

function toEntry(row: EntryRow): OutboxEntry {
  return {
    id: fromText(row.id),
    message: row.message,
    route: row.route,
    mailFrom: fromText(row.mail_from),
    rcptTo: JSON.parse(row.rcpt_to) as readonly string[],
    content: row.content,
    attempts: row.attempts,
    at: row.updated_at,
  };
}

/** Combines the entries of a message: the worst status wins. */
function summarize(rows: readonly StateRow[]): DeliveryState {
  const status = (["Failed", "Queued"] as const).find((one) => rows.some((row) => row.status === one)) ?? "Sent";
  const errors = rows.filter((row) => row.last_error !== null);
  return {
    status,
    attempts: Math.max(...rows.map((row) => row.attempts)),
    lastError: fromNullableText((errors.findLast((row) => row.status === status) ?? errors.at(-1))?.last_error ?? null),
    updatedAt: Math.max(...rows.map((row) => row.updated_at)),
  };
}
