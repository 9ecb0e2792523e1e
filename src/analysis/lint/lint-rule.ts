import type { LintCategory, LintSeverity, LintRequirement } from "../../core/lint.ts";
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

/** Members of a rule beside its id; its category is that of the table by default. */
type LintRuleRow = Omit<LintRule, "id" | "category"> & Partial<Pick<LintRule, "category">>;

/** Returns the rules of a category, by their ids. */
export function rulesOf(category: LintCategory, rows: Readonly<Record<string, LintRuleRow>>): readonly LintRule[] {
  return Object.entries(rows).map(([id, row]) => ({ id, category, ...row }));
}

/** Returns a notice about each of the subjects. */
export function noticesOf(message: string, subjects: readonly string[]): readonly Notice[] {
  return subjects.map((subject) => ({ message, subject }));
}

/** Returns the notice of a mail that breaks a rule; none otherwise. */
export function noticeIf(isBroken: boolean, message: string, subject?: string): readonly Notice[] {
  return isBroken ? [{ message, ...(subject !== undefined && { subject }) }] : [];
}

const rfc = /\bRFC (\d{3,5})(?: §(\d{1,2}(?:\.\d{1,2}){0,4}))?/;
const wcagPage = "https://www.w3.org/TR/WCAG22/";
const supportPage = "https://www.caniemail.com/";

/** Returns the requirement of a rule, with the page of the first standard that its meaning names. */
export function requirementOf({
  id,
  meaning,
  category,
}: Pick<LintRule, "id" | "meaning" | "category">): LintRequirement {
  return { rule: id, meaning, url: category === "compatibility" ? supportPage : standardPage(meaning) };
}

function standardPage(meaning: string): string | null {
  const found = rfc.exec(meaning);
  if (found === null) return meaning.includes("WCAG 2.2") ? wcagPage : null;
  const [, number = "", section] = found;
  return `https://www.rfc-editor.org/rfc/rfc${number}${section === undefined ? "" : `#section-${section}`}`;
}
