import { decodeMessageId } from "../../../core/ids.ts";
import type { MessageId } from "../../../core/ids.ts";
import type { DeliveryStatus } from "../../../core/delivery.ts";
import type {
  AttemptOutcome,
  Claim,
  DeliveryState,
  DueTimeBounds,
  LeaseExtension,
  OutboxEntry,
  OutboxRoute,
  OutboxStore,
} from "../../outbox-store.ts";
import { claims } from "../../leased-tables.ts";
import { takeDueWork } from "../quarantine/quarantine.ts";
import type { DueWork } from "../../../core/quarantine.ts";
import { addReports } from "../callbacks/pending-reports.ts";
import { bigintArray } from "../connection/arrays.ts";
import { appendChange } from "../messages/changes.ts";
import type { Database, Session } from "../connection/database.ts";
import { serverIdOf, serverNumberOf } from "../messages/id-slots.ts";
import { epochOf } from "./outbox-entries.ts";
import { lockServer } from "../account/servers.ts";
import { fromNullableText, fromText, toNullableText, toText } from "../connection/text.ts";

interface DueRow {
  readonly entry: string;
  readonly server_id: number | null;
  readonly epoch: number | null;
}

type TakenRow = DueRow & DueWork;

interface EntryRow {
  readonly entry: string;
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

/** Outbox over all servers; each entry is leased by one node at a time. */
export class Outbox implements OutboxStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async claimEntries(claim: Claim): Promise<readonly OutboxEntry[]> {
    return await this.#database.transact(async (session) => {
      const live: TakenRow[] = [];
      for (;;) {
        const due = await takeDue(
          session,
          claim,
          live.map(({ entry }) => entry),
        );
        const dead = await findDead(session, due);
        live.push(...due.filter(({ entry }) => !dead.includes(entry)));
        if (dead.length > 0) await session.query("delete from outbox where entry = any($1::text[])", [dead]);
        if (dead.length > 0 && live.length < claim.limit) continue;
        const taken = await takeDueWork(session, "outbox", { due: live, now: claim.now });
        return await lease(
          session,
          claim,
          taken.map(({ entry }) => entry),
        );
      }
    });
  }

  async extendLeases({ attempts, leaseEndsAt }: LeaseExtension): Promise<void> {
    // A locked entry is being recorded or deleted; waiting for several locks could end in a deadlock.
    await this.#database.query(
      `update outbox set due_at = $3 where entry in (
         select entry from outbox
         where entry = any($1::text[]) and lease = any($2::text[]) and due_at is not null for update skip locked)`,
      [attempts.map(({ entry }) => toText(entry)), attempts.map(({ lease }) => toText(lease)), leaseEndsAt],
    );
  }

  async boundDueTimes({ now, pausesMsMax, leaseMsMax }: DueTimeBounds): Promise<number> {
    const bound = `$1 + case when lease is null
      then ($2::bigint[])[least(attempts + 1, cardinality($2::bigint[]))] else $3::bigint end`;
    const rows = await this.#database.query(
      `update outbox set due_at = ${bound} where due_at > ${bound} returning entry`,
      [now, bigintArray(pausesMsMax), leaseMsMax],
    );
    return rows.length;
  }

  async nextDueAt(): Promise<number | null> {
    const [row] = await this.#database.query<{ due_at: number }>(
      "select due_at from outbox where due_at is not null order by due_at limit 1",
    );
    return row?.due_at ?? null;
  }

  async recordAttempt(outcome: AttemptOutcome): Promise<{ readonly sequence: number | null } | undefined> {
    const entry = toText(outcome.entry);
    return await this.#database.transact(async (session) => {
      const [found] = await session.query<DueRow>("select entry, server_id, epoch from outbox where entry = $1", [
        entry,
      ]);
      if (found === undefined) return undefined;
      const { server_id: server, epoch } = found;
      // The row of the server is locked first, as everywhere.
      const position = server === null ? undefined : await lockServer(session, serverIdOf(server));
      if (server !== null && position?.epoch !== epoch) return undefined;
      return await record(session, outcome, server);
    });
  }

  async releaseLeases(now: number): Promise<void> {
    await this.#database.query("update outbox set due_at = $1, lease = null where lease is not null", [now]);
  }

  async getDelivery(message: MessageId): Promise<DeliveryState | undefined> {
    const rows = await this.#database.query<StateRow>(
      `select status, attempts, last_error, updated_at from outbox
       where server_id = $1 and epoch = (select epoch from server where server_id = $1) and message = $2
       order by updated_at, entry`,
      [serverNumberOf(decodeMessageId(message).server), message],
    );
    return rows.length === 0 ? undefined : summarize(rows);
  }
}

async function takeDue(
  session: Session,
  { now, limit }: Claim,
  taken: readonly string[],
): Promise<readonly TakenRow[]> {
  return await session.query<TakenRow>(
    `select entry, server_id, epoch, open_claims as "openClaims" from outbox
     where due_at <= $1 and ${claims.mayTake} and entry <> all($2::text[])
     order by due_at, entry limit $3 for update skip locked`,
    [now, taken, limit - taken.length],
  );
}

/** Returns entries whose message was deleted with the epoch of its server. */
async function findDead(session: Session, due: readonly DueRow[]): Promise<readonly string[]> {
  const dead: string[] = [];
  const epochs = new Map<number, number | null>();
  for (const { entry, server_id: server, epoch } of due) {
    if (server === null) continue;
    const present = epochs.get(server) ?? (await epochOf(session, server));
    epochs.set(server, present);
    if (present !== epoch) dead.push(entry);
  }
  return dead;
}

async function lease(session: Session, claim: Claim, entries: readonly string[]): Promise<readonly OutboxEntry[]> {
  const rows = await session.query<EntryRow>(
    `update outbox set attempts = attempts + 1, ${claims.taken}, due_at = $2, lease = $3 where entry = any($1::text[])
     returning entry, message, route, mail_from, rcpt_to, content, attempts, updated_at`,
    [entries, claim.leaseEndsAt, toText(claim.lease)],
  );
  return rows.toSorted((a, b) => entries.indexOf(a.entry) - entries.indexOf(b.entry)).map(toEntry);
}

async function record(
  session: Session,
  { entry, lease, status, lastError, at, dueAt }: AttemptOutcome,
  server: number | null,
): Promise<{ readonly sequence: number | null } | undefined> {
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
    id: fromText(row.entry),
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
