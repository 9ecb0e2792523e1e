import type { LintFinding, LintReport, LintSeverity } from "../../core/lint.ts";
import type { LintRule, Notice } from "./lint-rule.ts";

/** Findings of one rule that are told; the counts tell of all. */
export const findingsPerRuleMax = 50;
const subjectLengthMax = 200;

/** Findings and how many there are; what a report is made of. */
export type FindingList = Pick<LintReport, "findings" | "counts">;

/** The findings of each rule, the gravest first, at most {@link findingsPerRuleMax} of each. */
export function listFindings(byRule: readonly (readonly LintFinding[])[]): FindingList {
  const counts: Record<LintSeverity, number> = { error: 0, warning: 0, info: 0 };
  for (const finding of byRule.flat()) counts[finding.severity] += 1;
  const told = byRule.flatMap((findings) => findings.slice(0, findingsPerRuleMax));
  const gravity: readonly LintSeverity[] = ["error", "warning", "info"];
  return { findings: gravity.flatMap((severity) => told.filter((finding) => finding.severity === severity)), counts };
}

/** What a rule noticed, with what the rule says of itself. */
export function toFinding(
  { id, severity, category }: Pick<LintRule, "id" | "severity" | "category">,
  { message, subject }: Notice,
): LintFinding {
  const shown = subject?.replaceAll(/\s+/g, " ").trim().slice(0, subjectLengthMax).toWellFormed() ?? null;
  return { rule: id, severity, category, message, subject: shown };
}
