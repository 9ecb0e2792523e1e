import type { MailFacts } from "../mail-facts.ts";

/** A mail under suspicion. */
export interface SpamSubject extends MailFacts {
  /** Instant of receipt in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/** One rule: what it is called, what it weighs and when it matches. */
export interface SpamRule {
  /** Capital letters and underscores. */
  readonly name: string;
  readonly score: number;
  /** One sentence without a full stop. */
  readonly description: string;
  /** Never throws; linear in the mail. */
  readonly matches: (subject: SpamSubject) => boolean;
}
