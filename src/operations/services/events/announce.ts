import type { EventMessage } from "../../../core/events.ts";
import { decodeMessageId } from "../../../core/ids.ts";
import type { InsertOutcome, NewMessage, SearchKeys } from "../../../store/store.ts";
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
      message: eventMessageOf(record.keys),
    });
  }
}

function eventMessageOf({ from, to, subject, body, provider = [], providerId = [] }: SearchKeys): EventMessage {
  return {
    from,
    to,
    subject,
    provider,
    providerId,
    // Settings of the server may have added tags.
    tag: null,
    // Joined only where a waiter compares it.
    get body() {
      return body.text;
    },
  };
}
