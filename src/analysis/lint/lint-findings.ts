import type { LintFinding, LintReport, LintSeverity } from "../../core/lint.ts";
import type { LintRule, Notice } from "./lint-rule.ts";

/** Findings of one rule that are reported; the counts include all. */
export const findingsPerRuleMax = 50;
const subjectLengthMax = 200;

/** Reported findings and their total number. */
export type FindingList = Pick<LintReport, "findings" | "counts">;

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
