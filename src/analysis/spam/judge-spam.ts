import type { SpamVerdict } from "../../core/spam.ts";
import type { MailFacts } from "../mail-facts.ts";
import { contentRules } from "./content-rules.ts";
import { headerRules } from "./header-rules.ts";

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

/** Rules by their names. */
export type SpamRules = Readonly<Record<string, Omit<SpamRule, "name">>>;

/** All rules of the built-in spam filter; docs/reference/spam-rules.md documents them. */
export const spamRules: readonly SpamRule[] = Object.entries({ ...headerRules, ...contentRules }).map(
  ([name, rule]) => ({ name, ...rule }),
);

/** Score from which a mail counts as spam, as in SpamAssassin. */
export const spamThreshold = 5;

/** Checks a mail by every rule. Never throws; linear in the mail. */
export function judgeSpam(subject: SpamSubject): SpamVerdict {
  const matched = spamRules.filter((rule) => rule.matches(subject));
  const rules = matched.map(({ name, score, description }) => ({ rule: name, score, description }));
  const score = Math.round(rules.reduce((sum, one) => sum + one.score, 0) * 10) / 10;
  return { score, threshold: spamThreshold, rules: rules.toSorted((one, other) => other.score - one.score) };
}
