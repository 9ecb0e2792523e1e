import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Change, ChangeKind } from "../../../core/change.ts";
import { idFromBytes } from "../../../core/ids.ts";
import type { ServerId } from "../../../core/ids.ts";

/** Minimum number of changes that are retained per server. */
const changeCountRetained = 10_000;
/** Number of changes that are retained at most of a server whose changes wait to become callbacks. */
const changeCountUnprocessedMax = 1_000_000;
/** Changes of a server between two truncations of its journal. */
const changeCountBetweenTruncations = 1000;
/** Changes deleted in one step. */
const changeCountPerTruncation = 1000;

/** Stored numbers; the order is part of the file format. */
const kinds: readonly ChangeKind[] = ["received", "sent", "deleted", "emptied", "failed", "marked"];

interface ChangeRow {
  readonly sequence: number;
  readonly kind: number;
  readonly id: Uint8Array | null;
}

/** Journal of the changes of each server, numbered without gaps; for use inside the writer's transaction. */
export class Journal {
  readonly #advance: StatementSync;
  readonly #sequence: StatementSync;
  readonly #insert: StatementSync;
  readonly #truncate: StatementSync;
  readonly #cursor: StatementSync;
  /** Servers whose journal may be longer than necessary, with the last number to delete. */
  readonly #overlong = new Map<number, number>();

  constructor(database: DatabaseSync) {
    // Two statements take less time than one with RETURNING, which collects its rows in a temporary table.
    this.#advance = database.prepare("update server set sequence = sequence + 1 where number = ?");
    this.#sequence = database.prepare("select sequence from server where number = ?");
    this.#insert = database.prepare("insert into change (server, sequence, kind, id) values (?, ?, ?, ?)");
    this.#cursor = database.prepare(
      "select sequence from callback_cursor where server = (select id from server where number = ?)",
    );
    this.#truncate = database.prepare(
      `delete from change where server = ?1 and sequence <= ?2 and sequence < ?3 +
         (select min(sequence) from change where server = ?1)`,
    );
  }

  /** Appends the server's next change and returns its sequence number. */
  append(server: number, kind: ChangeKind, id: Uint8Array | null): number {
    this.#advance.run(server);
    return this.record(server, kind, id);
  }

  /** Appends the change for which the sequence number of a server was advanced, and returns that number. */
  record(server: number, kind: ChangeKind, id: Uint8Array | null): number {
    const sequence = Number(this.#sequence.get(server)?.["sequence"]);
    this.#insert.run(server, sequence, kinds.indexOf(kind), id);
    if (sequence % changeCountBetweenTruncations === 0) this.markOverlong(server, sequence);
    return sequence;
  }

  /** Lets the journal of a server be truncated, whose last change is `sequence`. */
  markOverlong(server: number, sequence: number): void {
    this.#overlong.set(server, sequence - changeCountRetained);
  }

  /** Lets the journal be truncated that a cursor, which moves now, has kept longer than usual. */
  noticeCursor(server: number, { cursor, sequence }: { readonly cursor: number; readonly sequence: number }): void {
    if (sequence - cursor > changeCountRetained) this.markOverlong(server, sequence);
  }

  /** Whether the journal of a server may be longer than necessary. */
  get isOverlong(): boolean {
    return this.#overlong.size > 0;
  }

  /** Deletes some of the changes that need not be retained; returns false when there are none. */
  truncateSome(): boolean {
    for (const [server, processedUpTo] of this.#overlong) {
      const upTo = this.#truncatableUpTo(server, processedUpTo);
      if (upTo > 0 && Number(this.#truncate.run(server, upTo, changeCountPerTruncation).changes) > 0) return true;
      this.#overlong.delete(server);
    }
    return false;
  }

  /** Retains changes that were not turned into callbacks yet, up to {@link changeCountUnprocessedMax}. */
  #truncatableUpTo(server: number, upTo: number): number {
    const cursor = (this.#cursor.get(server)?.["sequence"] as number | undefined) ?? upTo;
    return Math.max(upTo + changeCountRetained - changeCountUnprocessedMax, Math.min(upTo, cursor));
  }
}

/** Source of the key of a server and the number of its last change. */
export interface SequenceReads {
  position(id: ServerId): { readonly number: number; readonly sequence: number } | undefined;
}

/** Queries of the journal. */
export class ChangeReads {
  readonly #servers: SequenceReads;
  readonly #floor: StatementSync;
  readonly #list: StatementSync;
  readonly #oldestNew: StatementSync;

  constructor(database: DatabaseSync, servers: SequenceReads) {
    this.#servers = servers;
    this.#floor = database.prepare("select min(sequence) as floor from change where server = ?");
    this.#list = database.prepare(
      "select sequence, kind, id from change where server = ? and sequence > ? order by sequence limit ? + 0",
    );
    this.#oldestNew = database.prepare(
      "select min(id) as id from change where server = ? and sequence > ? and kind < 2 and id between ? and ?",
    );
  }

  /** Implements `listChanges` of the store's contract. */
  list(id: ServerId, sequence: number, limit: number): readonly Change[] | undefined {
    const position = this.#servers.position(id);
    const last = position?.sequence ?? 0;
    if (sequence > last) return undefined;
    if (position === undefined || sequence === last) return [];
    if (!this.hasAllAfter(position.number, sequence)) return undefined;
    return this.#list.all(position.number, sequence, limit).map((row) => toChange(row as unknown as ChangeRow));
  }

  /** Returns whether every change after `sequence` is still in the journal. */
  hasAllAfter(server: number, sequence: number): boolean {
    const floor = this.#floor.get(server)?.["floor"] as number | null;
    return floor !== null && sequence >= floor - 1;
  }

  /** Returns the smallest id of a range received after `sequence`; null when there is none. Requires {@link hasAllAfter}. */
  oldestAfter(server: number, sequence: number, range: { first: Uint8Array; last: Uint8Array }): Uint8Array | null {
    return this.#oldestNew.get(server, sequence, range.first, range.last)?.["id"] as Uint8Array | null;
  }
}

function toChange(row: ChangeRow): Change {
  const kind = kinds[row.kind];
  if (kind === undefined) throw new Error(`unknown change kind ${row.kind}`);
  return { sequence: row.sequence, kind, id: row.id === null ? null : idFromBytes(row.id) };
}
