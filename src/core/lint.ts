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

/** Who judged whether people can read and hear a mail. */
export interface AccessibilityJudge {
  /** `axe-core` and its version, on the mail as a browser shows it; or `restante`, the service's own rules. */
  readonly engine: string;
  /** Why axe-core did not speak; null where it did. */
  readonly engineProblem: string | null;
}

/** What axe-core has to say of a mail as a browser shows it. */
export interface AccessibilityAudit {
  /** `axe-core` and its version. */
  readonly engine: string;
  readonly findings: readonly LintFinding[];
}

/** What axe-core said, or why it did not speak: exactly one of the two is null. */
export interface AuditOutcome {
  readonly audit: AccessibilityAudit | null;
  readonly problem: string | null;
}

/** What all rules have to say of a mail, the gravest first. */
export interface LintReport {
  readonly accessibility: AccessibilityJudge;
  readonly findings: readonly LintFinding[];
  /** How many findings there are of each severity, those that were cut off included. */
  readonly counts: Readonly<Record<LintSeverity, number>>;
}
