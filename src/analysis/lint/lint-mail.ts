import type { AuditOutcome, LintFinding, LintReport, LintSeverity } from "../../core/lint.ts";
import type { MailFacts } from "../mail-facts.ts";
import { accessibilityRules } from "./accessibility-rules.ts";
import { compatibilityRules } from "./compatibility-rules.ts";
import { headerRules } from "./header-rules.ts";
import { outlineHtml } from "./html-outline.ts";
import { linkRules } from "./link-rules.ts";
import type { LintRule } from "./lint-rule.ts";
import { structureRules } from "./structure-rules.ts";

/** Every rule that looks at the mail alone; docs/reference/lint.md explains the same. */
export const lintRules: readonly LintRule[] = [
  ...headerRules,
  ...structureRules,
  ...accessibilityRules,
  ...linkRules,
  ...compatibilityRules,
];

/** Findings of one rule that are told; the counts tell of all. */
export const findingsPerRuleMax = 50;
const subjectLengthMax = 200;

/** Findings and how many there are; what a report is made of. */
export type FindingList = Pick<LintReport, "findings" | "counts">;

/** Holds a mail against every rule, and adds what axe-core said of it. Never throws; linear in the mail. */
export function lintMail(facts: MailFacts, { audit, problem }: AuditOutcome): LintReport {
  const subject = { ...facts, outline: outlineHtml(facts.html ?? "") };
  const rules = audit === null ? lintRules : lintRules.filter(({ yieldsToAxe }) => yieldsToAxe !== true);
  const byRule = rules.map((rule) => Array.from(rule.check(subject), (notice) => toFinding(rule, notice)));
  const byAxe = Map.groupBy(audit?.findings ?? [], ({ rule }) => rule);
  const accessibility = { engine: audit?.engine ?? "restante", engineProblem: problem };
  return { ...listFindings([...byRule, ...byAxe.values()]), accessibility };
}

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
  { message, subject }: { message: string; subject?: string },
): LintFinding {
  const shown = subject?.replaceAll(/\s+/g, " ").trim().slice(0, subjectLengthMax).toWellFormed() ?? null;
  return { rule: id, severity, category, message, subject: shown };
}
