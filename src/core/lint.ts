/** How grave a finding is: what breaks the mail for some reader, what probably should change, what is good to know. */
export type LintSeverity = "error" | "warning" | "info";

/** What a rule is about. */
export type LintCategory = "headers" | "structure" | "accessibility" | "links" | "compatibility";

/** One thing that a rule has to say of a mail. */
export interface LintFinding {
  /** Id of the rule, kebab-case; docs/reference/lint.md explains each. */
  readonly rule: string;
  readonly severity: LintSeverity;
  readonly category: LintCategory;
  /** One sentence. */
  readonly message: string;
  /** What it is about: a tag, an address, a header field, at most 200 characters; null for the mail as a whole. */
  readonly subject: string | null;
}

/** What all rules have to say of a mail, the gravest first. */
export interface LintReport {
  readonly findings: readonly LintFinding[];
  /** How many findings there are of each severity, those that were cut off included. */
  readonly counts: Readonly<Record<LintSeverity, number>>;
}
