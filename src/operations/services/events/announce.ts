import { decodeMessageId } from "../../../core/ids.ts";
import type { NewMessage, InsertOutcome } from "../../../store/store.ts";
import type { Context } from "../../context.ts";

/** Publishes stored messages to waiters and streams; called right after their commit. */
export function announce(
  context: Pick<Context, "events">,
  records: readonly NewMessage[],
  outcomes: readonly InsertOutcome[],
): void {
  for (const [position, record] of records.entries()) {
    const stored = outcomes[position];
    if (stored?.outcome !== "stored") continue;
    const { server, direction } = decodeMessageId(record.id);
    const kind = direction === "Sent" ? "sent" : "received";
    context.events.publish({
      server,
      change: { sequence: stored.sequence, kind, id: record.id },
      // Settings of the server may have added tags.
      message: { ...record.keys, tag: null },
    });
  }
}
