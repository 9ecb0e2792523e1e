import type { Clock } from "../../../core/clock.ts";
import { notFound } from "../../../core/errors.ts";
import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import type { NewScan, ScannerStore } from "../../scanner-store.ts";
import { uuidArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";
import { bytesOf, serverIdOf, serverNumberOf } from "../messages/id-slots.ts";
import { openQueue } from "../queues/postgres-queues.ts";
import { VersionedRows, type VersionedRow } from "../nodes/versioned-rows.ts";

interface ScannerRow extends VersionedRow {
  readonly server_id: number;
  readonly settings: string | null;
}

/** Link scanners of all nodes. */
export class Scans implements ScannerStore {
  readonly #database: Database;
  readonly #scanners = new Map<ServerId, string>();
  readonly #rows: VersionedRows<ScannerRow>;
  readonly queue: ScannerStore["queue"];

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.queue = openQueue(database, "scans");
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
  await session.query("delete from scan where server = $1", [serverIdOf(server)]);
}

/** Adds scans of messages in the transaction that stores them. */
export async function addScans(session: Session, scans: readonly NewScan[]): Promise<void> {
  for (const [dueAt, due] of Map.groupBy(scans, (scan) => scan.dueAt)) {
    await session.query(
      `insert into scan (message, server, due_at, attempts)
       select id, server, $3, 0 from unnest($1::uuid[], $2::text[]) as m(id, server) on conflict (message) do nothing`,
      [
        uuidArray(due.map(({ message }) => bytesOf(message).id)),
        due.map(({ message }) => decodeMessageId(message).server),
        dueAt,
      ],
    );
  }
}
