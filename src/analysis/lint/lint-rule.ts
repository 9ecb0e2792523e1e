import type { LintCategory, LintSeverity } from "../../core/lint.ts";
import type { MailFacts } from "../mail-facts.ts";
import type { HtmlOutline } from "./html-outline.ts";

/** A mail to be looked over. */
export interface LintSubject extends MailFacts {
  /** Empty where there is no HTML. */
  readonly outline: HtmlOutline;
}

/** What a check noticed; the rule adds the rest. */
export interface Notice {
  readonly message: string;
  /** Cut at 200 characters. */
  readonly subject?: string;
}

/** One rule. */
export interface LintRule {
  readonly id: string;
  readonly severity: LintSeverity;
  readonly category: LintCategory;
  /** What must hold and where that comes from; one or two sentences for the reference page. */
  readonly meaning: string;
  /** Whether axe-core judges the same, and better, where a browser shows the mail; then this rule is silent. */
  readonly yieldsToAxe?: true;
  /** Never throws; linear in the mail. */
  readonly check: (subject: LintSubject) => Iterable<Notice>;
}
