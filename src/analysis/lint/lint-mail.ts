import type { AuditOutcome, LintProfileId, LintReport } from "../../core/lint.ts";
import type { MailFacts } from "../mail-facts.ts";
import { accessibilityRules } from "./accessibility-rules.ts";
import { compatibilityRules } from "./compatibility-rules.ts";
import { headerRules } from "./header-rules.ts";
import { outlineHtml } from "./html-outline.ts";
import { linkRules } from "./link-rules.ts";
import { listFindings, toFinding } from "./lint-findings.ts";
import { lintProfiles } from "./lint-profiles.ts";
import type { LintRule } from "./lint-rule.ts";
import { requirementOf } from "./rule-requirement.ts";
import { structureRules } from "./structure-rules.ts";

/** All rules that check the mail without other sources; docs/reference/lint.md documents them. */
export const lintRules: readonly LintRule[] = [
  ...headerRules,
  ...structureRules,
  ...accessibilityRules,
  ...linkRules,
  ...compatibilityRules,
];

/**
 * Checks a mail by every rule, those of a profile included, and adds the findings of axe-core. Never throws; linear in the
 * mail.
 */
export function lintMail(
  facts: MailFacts,
  { audit, problem }: AuditOutcome,
  profile: LintProfileId | null = null,
): LintReport {
  const subject = { ...facts, outline: outlineHtml(facts.html ?? "") };
  const all = profile === null ? lintRules : [...lintRules, ...lintProfiles[profile].rules];
  const rules = audit === null ? all : all.filter(({ yieldsToAxe }) => yieldsToAxe !== true);
  const byRule = rules.map((rule) => Array.from(rule.check(subject), (notice) => toFinding(rule, notice)));
  const byAxe = Map.groupBy(audit?.findings ?? [], ({ rule }) => rule);
  const found = rules.filter((_, at) => (byRule[at]?.length ?? 0) > 0).map(requirementOf);
  const accessibility = { engine: audit?.engine ?? "restante", engineProblem: problem };
  return { ...listFindings([...byRule, ...byAxe.values()]), accessibility, rules: [...found, ...(audit?.rules ?? [])] };
}
