import type { EventMessage } from "../../../core/events.ts";
import { decodeMessageId } from "../../../core/ids.ts";
import type { SearchBody } from "../../../core/search/search-body.ts";
import type { InsertOutcome, NewMessage } from "../../../store/store.ts";
import type { Context } from "../../context.ts";

/** Publishes stored messages to waiters and streams; called right after their commit. */
export function announce(context: Context, records: readonly NewMessage[], outcomes: readonly InsertOutcome[]): void {
  for (const [position, record] of records.entries()) {
    const stored = outcomes[position];
    if (stored?.outcome !== "stored") continue;
    const { server, direction } = decodeMessageId(record.id);
    const kind = direction === "Sent" ? "sent" : "received";
    context.events.publish({
      server,
      change: { sequence: stored.sequence, kind, id: record.id },
      message: new StoredMessage(record),
    });
  }
}

/** Keys and summary of a stored message; its body is joined only where a waiter compares it. */
class StoredMessage implements EventMessage {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly subject: string;
  readonly provider: readonly string[];
  readonly providerId: readonly string[];
  /** Settings of the server may have added tags. */
  readonly tag = null;
  readonly summaryJson: Uint8Array;
  readonly #body: SearchBody;

  constructor({ keys, summaryJson }: NewMessage) {
    const { from, to, subject, provider = [], providerId = [], body } = keys;
    this.from = from;
    this.to = to;
    this.subject = subject;
    this.provider = provider;
    this.providerId = providerId;
    this.summaryJson = summaryJson;
    this.#body = body;
  }

  get body(): string | null {
    return this.#body.text;
  }
}
