import type { DatabaseSync, StatementSync } from "node:sqlite";
import { gapsBetween, SegmentReads } from "./segments.ts";

/** Counts unindexed messages. */
export class IndexBacklog {
  readonly #segments: SegmentReads;
  readonly #servers: StatementSync;
  readonly #count: StatementSync;

  constructor(database: DatabaseSync) {
    this.#segments = new SegmentReads(database);
    this.#servers = database.prepare("select epoch, sequence from server where received_count + sent_count >= ?");
    this.#count = database.prepare(
      "select count(*) as count from message indexed by message_sequence where epoch = ? and sequence between ? and ?",
    );
  }

  /** Returns the number of messages that no segment covers, of servers with at least `serverMessageCountMin` messages. */
  count(serverMessageCountMin: number): number {
    let count = 0;
    for (const row of this.#servers.all(serverMessageCountMin)) {
      const { epoch, sequence } = row as unknown as { epoch: number; sequence: number };
      for (const { first, last } of gapsBetween(this.#segments.list(epoch), sequence)) {
        count += Number(this.#count.get(epoch, first, last)?.["count"]);
      }
    }
    return count;
  }
}
