import type { MessageId } from "./ids.ts";
import type { Direction } from "./message.ts";

/** Whether a message must meet all the given criteria, or any one of them. */
export type Match = "ALL" | "ANY";

/** What a search looks for; absent members do not count, and at least one is present. Texts are as the caller gave. */
export interface Criteria {
  /** Whole e-mail address or phone number of the sender (From field or envelope). */
  readonly sentFrom?: string;
  /** Whole e-mail address or phone number of a recipient (to, cc, bcc or envelope). */
  readonly sentTo?: string;
  /** Substring of the subject. */
  readonly subject?: string;
  /** Substring of the text part, the HTML source or the HTML's visible text. */
  readonly body?: string;
  readonly match: Match;
}

/** One page of a list or of search results, newest first. */
export interface Page {
  /** 0-based. */
  readonly page: number;
  /** 1…1000. */
  readonly itemsPerPage: number;
  /** Only messages received strictly after this instant, milliseconds since the epoch with a fraction where given. */
  readonly receivedAfter: number | null;
  readonly direction: Direction;
  /** Only messages committed after this point of the server's sequence; null for no such bound. */
  readonly afterSequence: number | null;
  /** Only messages older than this one (smaller ids), whether it still exists or not; absent for no such bound. */
  readonly before?: MessageId;
}
