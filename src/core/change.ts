import type { MessageId } from "./ids.ts";

/** What can happen to the messages of a server; `failed`: a sent one will not reach a recipient. */
export type ChangeKind = "received" | "sent" | "deleted" | "emptied" | "failed";

/**
 * One step in the life of a server. Steps are numbered 1, 2, 3 … per server in the order of their commits: no number is
 * skipped, repeated or taken from a clock.
 */
export interface Change {
  readonly sequence: number;
  readonly kind: ChangeKind;
  /** The message concerned; null when the whole server was emptied. */
  readonly id: MessageId | null;
}
