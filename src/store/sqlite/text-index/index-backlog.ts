import type { Statements } from "../connection/connection.ts";
import { gapsBetween, type SegmentReads } from "./segments.ts";

/** Returns the number of messages that no segment covers, of servers with at least `serverMessageCountMin` messages. */
export function countUnindexed(statements: Statements, segments: SegmentReads, serverMessageCountMin: number): number {
  const servers = statements.get("select epoch, sequence from server where received_count + sent_count >= ?");
  const counted = statements.get(
    "select count(*) as count from message indexed by message_sequence where epoch = ? and sequence between ? and ?",
  );
  let count = 0;
  for (const row of servers.all(serverMessageCountMin)) {
    const { epoch, sequence } = row as unknown as { epoch: number; sequence: number };
    for (const { first, last } of gapsBetween(segments.list(epoch), sequence)) {
      count += Number(counted.get(epoch, first, last)?.["count"]);
    }
  }
  return count;
}
