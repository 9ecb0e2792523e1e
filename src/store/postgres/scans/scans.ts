import type { Clock } from "../../../core/clock.ts";
import { notFound } from "../../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import type { ClaimedScan, NewScan, ScanClaim, ScannerStore } from "../../scanner-store.ts";
import { claims } from "../../leased-tables.ts";
import { takeDueWork } from "../quarantine/quarantine.ts";
import type { DueWork } from "../../../core/quarantine.ts";
import { bigintArray, uuidArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";
import { bytesOf, serverIdOf, serverNumberOf } from "../messages/id-slots.ts";
import { VersionedRows, type VersionedRow } from "../nodes/versioned-rows.ts";

interface ScannerRow extends VersionedRow {
  readonly server_id: number;
  readonly settings: string | null;
}

/** Visits the servers by the index, without reading all scans of each. */
const dueServers = `
  with recursive queued (server_id) as (
    (select server_id from scan where due_at is not null order by server_id limit 1)
    union all
    select (select s.server_id from scan s where s.due_at is not null and s.server_id > queued.server_id order by s.server_id limit 1)
    from queued where queued.server_id is not null)
  select server_id from (
    select server_id, (select s.due_at from scan s where s.server_id = queued.server_id and s.due_at is not null
                       order by s.due_at limit 1) as due_at
    from queued where server_id is not null) first
  where due_at <= $1 order by due_at, server_id limit $2`;

/** Link scanners and queued scans of all nodes. */
export class Scans implements ScannerStore {
  readonly #database: Database;
  readonly #scanners = new Map<ServerId, string>();
  readonly #rows: VersionedRows<ScannerRow>;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#rows = new VersionedRows<ScannerRow>({
      database,
      clock,
      name: "The link scanners",
      query: "select server_id, version, settings from scanner where version > $1 order by version",
      apply: ({ server_id: number, settings }) => {
        if (settings === null) this.#scanners.delete(serverIdOf(number));
        else this.#scanners.set(serverIdOf(number), fromText(settings));
      },
    });
  }

  findScanner(server: ServerId): string | null | Promise<string | null> {
    // While the rows cannot be read, those that were read last decide: mail cannot be stored then either.
    const refreshed = this.#rows.refresh();
    return refreshed instanceof Promise ? refreshed.then(() => this.#find(server)) : this.#find(server);
  }

  #find(server: ServerId): string | null {
    return this.#scanners.get(server) ?? null;
  }

  async setScanner(server: ServerId, settingsJson: string | null): Promise<void> {
    const number = serverNumberOf(server);
    await this.#database.transact(async (session) => {
      const found = await session.query("select 1 from server where server_id = $1 for share", [number]);
      if (found.length === 0) throw notFound("Server");
      if (settingsJson === null) await removeScanner(session, number);
      else await put(session, number, settingsJson);
    });
    await this.#rows.readEverywhere();
  }

  async listDueScans(now: number, limit: number): Promise<readonly ServerId[]> {
    const rows = await this.#database.query<{ server_id: number }>(dueServers, [now, limit]);
    return rows.map(({ server_id: number }) => serverIdOf(number));
  }

  async claimScans({ server, now, leasedUntil, lease, countMax }: ScanClaim): Promise<readonly ClaimedScan[]> {
    return await this.#database.transact(async (session) => {
      const found = await session.query<{ message: MessageId } & DueWork>(
        `select message, open_claims as "openClaims" from scan
         where server_id = $1 and due_at <= $2 and ${claims.mayTake} order by due_at, message limit $3
         for update skip locked`,
        [serverNumberOf(server), now, countMax],
      );
      const due = await takeDueWork(session, "scans", { due: found, now });
      if (due.length === 0) return [];
      return await session.query<ClaimedScan>(
        `update scan set attempts = attempts + 1, ${claims.taken}, due_at = $1, lease = $2 where message = any($3::uuid[])
         returning message, attempts`,
        [leasedUntil, toText(lease), uuidArray(due.map(({ message }) => bytesOf(message).id))],
      );
    });
  }

  async postponeScan(message: MessageId, lease: string, dueAt: number | null): Promise<void> {
    const one = [message, toText(lease)] as const;
    if (dueAt === null) await this.#database.query("delete from scan where message = $1 and lease = $2", [...one]);
    else {
      const sql = `update scan set due_at = $3, lease = null, ${claims.ended} where message = $1 and lease = $2`;
      await this.#database.query(sql, [...one, dueAt]);
    }
  }

  async nextScanAt(): Promise<number | null> {
    const [row] = await this.#database.query<{ due_at: number | null }>("select min(due_at) as due_at from scan");
    return row?.due_at ?? null;
  }

  async countScans(): Promise<number> {
    const [row] = await this.#database.query<{ count: number }>(
      "select count(*)::int4 as count from scan where due_at is not null",
    );
    return row?.count ?? 0;
  }

  async releaseScans(now: number): Promise<void> {
    await this.#database.query("update scan set due_at = $1, lease = null where lease is not null", [now]);
  }
}

/** Versions are committed in their order, because the row of the state is locked. */
async function put(session: Session, server: number, settings: string | null): Promise<void> {
  const [version] = await session.query<{ next: number }>(
    `update state set scanner_version =
       greatest(scanner_version, (select coalesce(max(version), 0) from scanner)) + 1 returning scanner_version as next`,
  );
  await session.query(
    `insert into scanner (server_id, version, settings) values ($1, $2, $3)
     on conflict (server_id) do update set version = excluded.version, settings = excluded.settings`,
    [server, version?.next, settings === null ? null : toText(settings)],
  );
}

/** Removes the scanner of a server and its queued scans, inside a transaction. The row stays, so that all nodes read it. */
export async function removeScanner(session: Session, server: number): Promise<void> {
  const found = await session.query("select 1 from scanner where server_id = $1 and settings is not null", [server]);
  if (found.length > 0) await put(session, server, null);
  await removeScans(session, server);
}

/** Removes the queued scans of a server, inside a transaction. */
export async function removeScans(session: Session, server: number): Promise<void> {
  await session.query("delete from scan where server_id = $1", [server]);
}

/** Adds scans of messages in the transaction that stores them. */
export async function addScans(session: Session, scans: readonly NewScan[]): Promise<void> {
  for (const [dueAt, due] of Map.groupBy(scans, (scan) => scan.dueAt)) {
    await session.query(
      `insert into scan (message, server_id, due_at, attempts)
       select id, server_id, $3, 0 from unnest($1::uuid[], $2::int8[]) as m(id, server_id) on conflict (message) do nothing`,
      [
        uuidArray(due.map(({ message }) => bytesOf(message).id)),
        bigintArray(due.map(({ message }) => serverNumberOf(decodeMessageId(message).server))),
        dueAt,
      ],
    );
  }
}
