/** Tables of link scanners and of queued scans. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { notFound } from "../../../core/errors.ts";
import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import type { NewScan, ScannerStore } from "../../scanner-store.ts";
import type { Thread } from "../threads/thread.ts";

/** Queries of scanners. */
export class ScanReads {
  readonly #scanners: StatementSync;

  constructor(database: DatabaseSync) {
    this.#scanners = database.prepare("select server, settings from scanner");
  }

  scanners(): ReadonlyMap<ServerId, string> {
    return new Map(this.#scanners.all().map(({ server, settings }) => [server as ServerId, String(settings)]));
  }
}

/** Calls of the writer thread that change scanners, as in the contract. */
export interface ScanCalls {
  setScanner(server: ServerId, settingsJson: string | null): void;
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindScanCalls(database: DatabaseSync): ScanCalls {
  const hasServer = database.prepare("select 1 from server where id = ?");
  const set = database.prepare("insert or replace into scanner (server, settings) values (?, ?)");
  const remove = bindRemoveScanner(database);
  return {
    setScanner: (server, settingsJson) => {
      if (hasServer.get(server) === undefined) throw notFound("Server");
      if (settingsJson === null) remove(server);
      else set.run(server, settingsJson);
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
  queue: ScannerStore["queue"],
): ScannerStore & { readonly onServerRemoved: (server: ServerId) => void } {
  const scanners = new Map(read((reads) => reads.scanners()));
  return {
    findScanner: (server) => scanners.get(server) ?? null,
    setScanner: async (server, settingsJson) => {
      await writer.call("setScanner", [server, settingsJson]);
      if (settingsJson === null) scanners.delete(server);
      else scanners.set(server, settingsJson);
    },
    queue,
    onServerRemoved: (server) => void scanners.delete(server),
  };
}
