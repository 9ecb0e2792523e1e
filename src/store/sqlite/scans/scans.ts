/** Tables of link scanners and of queued scans. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { notFound } from "../../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import type { ClaimedScan, NewScan, ScanClaim, ScannerStore } from "../../scanner-store.ts";
import { claims } from "../../leased-tables.ts";
import type { DueWork } from "../../../core/quarantine.ts";
import { bindTakeWork } from "../quarantine/quarantine.ts";
import type { Thread } from "../threads/thread.ts";

/** Visits the servers by the index, without reading all scans of each. */
const dueServers = `
  with recursive queued (server) as (
    select * from (select server from scan where due_at is not null order by server limit 1)
    union all
    select (select s.server from scan s where s.due_at is not null and s.server > queued.server order by s.server limit 1)
    from queued where queued.server is not null)
  select server from (
    select server, (select s.due_at from scan s where s.server = queued.server and s.due_at is not null
                    order by s.due_at limit 1) as due_at
    from queued where server is not null)
  where due_at <= ? order by due_at, server limit ? + 0`;

/** Queries of scanners and queued scans. */
export class ScanReads {
  readonly #scanners: StatementSync;
  readonly #due: StatementSync;
  readonly #next: StatementSync;
  readonly #count: StatementSync;

  constructor(database: DatabaseSync) {
    this.#scanners = database.prepare("select server, settings from scanner");
    this.#due = database.prepare(dueServers);
    this.#next = database.prepare("select min(due_at) as dueAt from scan");
    this.#count = database.prepare("select count(*) as count from scan where due_at is not null");
  }

  scanners(): ReadonlyMap<ServerId, string> {
    return new Map(this.#scanners.all().map(({ server, settings }) => [server as ServerId, String(settings)]));
  }

  dueServers(now: number, limit: number): readonly ServerId[] {
    return this.#due.all(now, limit).map(({ server }) => server as ServerId);
  }

  nextDueAt(): number | null {
    return this.#next.get()?.["dueAt"] as number | null;
  }

  count(): number {
    return Number(this.#count.get()?.["count"]);
  }
}

/** Calls of the writer thread that change scanners and scans, as in the contract. */
export interface ScanCalls {
  setScanner(server: ServerId, settingsJson: string | null): void;
  claimScans(claim: ScanClaim): readonly ClaimedScan[];
  postponeScan(message: MessageId, lease: string, dueAt: number | null): void;
  releaseScans(now: number): void;
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindScanCalls(database: DatabaseSync): ScanCalls {
  const hasServer = database.prepare("select 1 from server where id = ?");
  const set = database.prepare("insert or replace into scanner (server, settings) values (?, ?)");
  const remove = bindRemoveScanner(database);
  const takeWork = bindTakeWork(database, "scans");
  const due = database.prepare(
    `select message, open_claims as openClaims from scan where server = ? and due_at <= ? and ${claims.mayTake}
     order by due_at, message limit ? + 0`,
  );
  const claim = database.prepare(
    `update scan set attempts = attempts + 1, ${claims.taken}, due_at = ?, lease = ? where message = ?
     returning message, attempts`,
  );
  const postpone = database.prepare(
    `update scan set due_at = ?3, lease = null, ${claims.ended} where message = ?1 and lease = ?2`,
  );
  const finish = database.prepare("delete from scan where message = ? and lease = ?");
  const release = database.prepare("update scan set due_at = ?, lease = null where lease is not null");
  return {
    setScanner: (server, settingsJson) => {
      if (hasServer.get(server) === undefined) throw notFound("Server");
      if (settingsJson === null) remove(server);
      else set.run(server, settingsJson);
    },
    claimScans: ({ server, now, leasedUntil, lease, countMax }) =>
      takeWork(
        due.all(server, now, countMax) as unknown as readonly (DueWork & Pick<ClaimedScan, "message">)[],
        now,
      ).map(({ message }) => ({ ...(claim.get(leasedUntil, lease, message) as unknown as ClaimedScan) })),
    postponeScan: (message, lease, dueAt) => {
      if (dueAt === null) finish.run(message, lease);
      else postpone.run(message, lease, dueAt);
    },
    releaseScans: (now) => {
      release.run(now);
    },
  };
}

/** Returns a function that removes the scanner of a server and its scans, for use inside the writer's transaction. */
export function bindRemoveScanner(database: DatabaseSync): (server: ServerId) => void {
  const scanner = database.prepare("delete from scanner where server = ?");
  const removeScans = bindRemoveScans(database);
  return (server) => {
    scanner.run(server);
    removeScans(server);
  };
}

/** Returns a function that removes the queued scans of a server, for use inside the writer's transaction. */
export function bindRemoveScans(database: DatabaseSync): (server: ServerId) => void {
  const scans = database.prepare("delete from scan where server = ?");
  return (server) => void scans.run(server);
}

/** Returns a function that adds a scan, for use inside the writer's transaction. */
export function bindAddScan(database: DatabaseSync): (scan: NewScan) => void {
  const add = database.prepare("insert or ignore into scan (message, server, due_at, attempts) values (?, ?, ?, 0)");
  return ({ message, dueAt }) => void add.run(message, decodeMessageId(message).server, dueAt);
}

/** Creates the store of scanners, whose settings are in memory. */
export function createScannerStore(
  writer: Thread<ScanCalls>,
  read: <Result>(body: (reads: ScanReads) => Result) => Result,
): ScannerStore & { readonly onServerRemoved: (server: ServerId) => void } {
  const scanners = new Map(read((reads) => reads.scanners()));
  return {
    findScanner: (server) => scanners.get(server) ?? null,
    setScanner: async (server, settingsJson) => {
      await writer.call("setScanner", [server, settingsJson]);
      if (settingsJson === null) scanners.delete(server);
      else scanners.set(server, settingsJson);
    },
    listDueScans: async (now, limit) => read((reads) => reads.dueServers(now, limit)),
    claimScans: async (claim) => writer.call("claimScans", [claim]),
    postponeScan: async (message, lease, dueAt) => writer.call("postponeScan", [message, lease, dueAt]),
    nextScanAt: async () => read((reads) => reads.nextDueAt()),
    countScans: async () => read((reads) => reads.count()),
    releaseScans: async (now) => writer.call("releaseScans", [now]),
    onServerRemoved: (server) => void scanners.delete(server),
  };
}
