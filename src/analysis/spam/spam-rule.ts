import type { MailFacts } from "../mail-facts.ts";

/** Mail to be checked for spam. */
export interface SpamSubject extends MailFacts {
  /** Instant of receipt in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/** Rule of the spam filter: its name, score and condition. */
export interface SpamRule {
  /** Capital letters and underscores. */
  readonly name: string;
  readonly score: number;
  /** One sentence without a full stop. */
  readonly description: string;
  /** Never throws; linear in the mail. */
  readonly matches: (subject: SpamSubject) => boolean;
}
