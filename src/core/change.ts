import type { MessageId } from "./ids.ts";

/**
 * Kind of a change. `failed`: a sent message cannot be delivered to a recipient; `marked`: flags or tags of messages have
 * changed.
 */
export type ChangeKind = "received" | "sent" | "deleted" | "emptied" | "failed" | "marked";

/**
 * Change of a server. Changes are numbered 1, 2, 3 … per server in commit order: no number is skipped or repeated.
 */
export interface Change {
  readonly sequence: number;
  readonly kind: ChangeKind;
  /** Id of the changed message; null when the server was emptied, or when several messages were marked. */
  readonly id: MessageId | null;
}
