import type { SpamVerdict } from "../../core/spam.ts";
import { contentRules } from "./content-rules.ts";
import { headerRules } from "./header-rules.ts";
import type { SpamRule, SpamSubject } from "./spam-rule.ts";

/** All rules of the built-in spam filter; docs/reference/spam-rules.md documents them. */
export const spamRules: readonly SpamRule[] = [...headerRules, ...contentRules];

/** Score from which a mail counts as spam, as in SpamAssassin. */
export const spamThreshold = 5;

/** Checks a mail by every rule. Never throws; linear in the mail. */
export function judgeSpam(subject: SpamSubject): SpamVerdict {
  const matched = spamRules.filter((rule) => rule.matches(subject));
  const rules = matched.map(({ name, score, description }) => ({ rule: name, score, description }));
  const score = Math.round(rules.reduce((sum, one) => sum + one.score, 0) * 10) / 10;
  return { score, threshold: spamThreshold, rules: rules.toSorted((one, other) => other.score - one.score) };
}
