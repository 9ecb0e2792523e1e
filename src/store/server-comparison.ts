/** Comparison of the servers of a restored copy with those of the store that was backed up. */
import type { MessageId, ServerId } from "../core/ids.ts";

/** Comparison of one server. Numbers are numbers of messages. */
export interface ServerComparison extends ComparedCounts {
  readonly server: ServerId;
  readonly restoredCount: number;
  readonly sourceCount: number;
  /**
   * `compared`; `new`: created after the backup; `removed`: deleted since the backup; `other`: the source has another server
   * of this id, or was itself restored since the backup, so that change numbers differ.
   */
  readonly state: "compared" | "new" | "removed" | "other";
}

/** Counts of a comparison; 0 unless compared. */
export interface ComparedCounts {
  /** Changes of the source since the backup. */
  readonly arrivedCount: number;
  readonly changedCount: number;
  readonly removedCount: number;
  /** Messages that the source had at the time of the backup and the copy lacks, and those whose summaries differ. */
  readonly missingCount: number;
  readonly differingCount: number;
  /** Newest messages whose stored contents were compared byte by byte, and those of them that differ. */
  readonly sampledCount: number;
  readonly sampleDifferingCount: number;
  /** Ids of at most {@link namedCountMax} messages that are missing or differ. */
  readonly named: readonly MessageId[];
}

/** Maximum number of messages that {@link ComparedCounts.named} has. */
export const namedCountMax = 20;

/** Counts of a server that was not compared. */
export const uncompared: ComparedCounts = {
  arrivedCount: 0,
  changedCount: 0,
  removedCount: 0,
  missingCount: 0,
  differingCount: 0,
  sampledCount: 0,
  sampleDifferingCount: 0,
  named: [],
};

/** Returns how many newest messages of each server are compared, so that `sampleCount` are over all servers, and one at least. */
export function samplePerServer(sampleCount: number, serverCount: number): number {
  return Math.max(1, Math.floor(sampleCount / Math.max(1, serverCount)));
}
