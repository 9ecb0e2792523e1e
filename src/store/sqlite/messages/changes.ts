import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ChangeKind } from "../../../core/events.ts";
import { JournalTrims, kindNumberOf } from "../../records/change-rows.ts";
import { sqliteDialect } from "../connection/dialect.ts";

/** Journal of the changes of each server, numbered without gaps; for use inside the writer's transaction. */
export class Journal extends JournalTrims {
  readonly #advance: StatementSync;
  readonly #sequence: StatementSync;
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync) {
    super(sqliteDialect);
    // Two statements take less time than one with RETURNING, which collects its rows in a temporary table.
    this.#advance = database.prepare("update server set sequence = sequence + 1 where number = ?");
    this.#sequence = database.prepare("select sequence from server where number = ?");
    this.#insert = database.prepare("insert into change (server, sequence, kind, id) values (?, ?, ?, ?)");
  }

  /** Appends the server's next change and returns its sequence number. */
  append(server: number, kind: ChangeKind, id: Uint8Array | null): number {
    this.#advance.run(server);
    return this.record(server, kind, id);
  }

  /** Appends the change for which the sequence number of a server was advanced, and returns that number. */
  record(server: number, kind: ChangeKind, id: Uint8Array | null): number {
    const sequence = Number(this.#sequence.get(server)?.["sequence"]);
    this.#insert.run(server, sequence, kindNumberOf(kind), id);
    this.notice(server, { before: sequence - 1, after: sequence });
    return sequence;
  }
}

/** Queries of the journal. */
export class ChangeReads {
  readonly #floor: StatementSync;
  readonly #oldestNew: StatementSync;

  constructor(database: DatabaseSync) {
    this.#floor = database.prepare("select min(sequence) as floor from change where server = ?");
    this.#oldestNew = database.prepare(
      "select min(id) as id from change where server = ? and sequence > ? and kind < 2 and id between ? and ?",
    );
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
