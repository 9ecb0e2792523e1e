import type { LintCategory, LintSeverity } from "../../core/lint.ts";
import type { MailFacts } from "../mail-facts.ts";
import type { HtmlOutline } from "./html-outline.ts";

/** Mail to be checked. */
export interface LintSubject extends MailFacts {
  /** Empty if there is no HTML. */
  readonly outline: HtmlOutline;
}

/** Problem that a check found; the rule adds the rest. */
export interface Notice {
  readonly message: string;
  /** Truncated to 200 characters. */
  readonly subject?: string;
}

/** Rule of lint. */
export interface LintRule {
  readonly id: string;
  readonly severity: LintSeverity;
  readonly category: LintCategory;
  /** Requirement and its source; one or two sentences for the reference page. */
  readonly meaning: string;
  /** Whether axe-core checks the same more accurately; if a browser renders the mail, this rule is skipped. */
  readonly yieldsToAxe?: true;
  /** Never throws; linear in the mail. */
  readonly check: (subject: LintSubject) => Iterable<Notice>;
}
