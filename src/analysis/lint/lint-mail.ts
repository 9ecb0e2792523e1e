import type { AuditOutcome, LintProfileId, LintReport, LintFinding, LintSeverity } from "../../core/lint.ts";
import type { MailFacts } from "../mail-facts.ts";
import { accessibilityRules } from "./accessibility-rules.ts";
import { compatibilityRules } from "./compatibility-report.ts";
import { headerRules } from "./header-rules.ts";
import { outlineHtml } from "./html-outline.ts";
import { linkRules } from "./link-rules.ts";
import { lintProfiles } from "./lint-profiles.ts";
import { type LintRule, requirementOf, type Notice } from "./lint-rule.ts";
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

/** Findings of one rule that are reported; the counts include all. */
export const findingsPerRuleMax = 50;
const subjectLengthMax = 200;

/** Reported findings and their total number. */
type FindingList = Pick<LintReport, "findings" | "counts">;

/** Returns the findings of each rule, the most severe first, at most {@link findingsPerRuleMax} of each. */
export function listFindings(byRule: readonly (readonly LintFinding[])[]): FindingList {
  const counts: Record<LintSeverity, number> = { error: 0, warning: 0, info: 0 };
  for (const finding of byRule.flat()) counts[finding.severity] += 1;
  const reported = byRule.flatMap((findings) => findings.slice(0, findingsPerRuleMax));
  const gravity: readonly LintSeverity[] = ["error", "warning", "info"];
  return {
    findings: gravity.flatMap((severity) => reported.filter((finding) => finding.severity === severity)),
    counts,
  };
}

/** Returns the finding of a notice, with the properties of its rule. */
export function toFinding(
  { id, severity, category }: Pick<LintRule, "id" | "severity" | "category">,
  { message, subject }: Notice,
): LintFinding {
  const shown = subject?.replaceAll(/\s+/g, " ").trim().slice(0, subjectLengthMax).toWellFormed() ?? null;
  return { rule: id, severity, category, message, subject: shown };
}
