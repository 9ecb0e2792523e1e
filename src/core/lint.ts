/** Severity of a finding: the mail is broken for some readers, should probably change, or is worth knowing about. */
export type LintSeverity = "error" | "warning" | "info";

/** Category of a rule. */
export type LintCategory = "headers" | "structure" | "accessibility" | "links" | "compatibility";

/** Finding of a rule in a mail. */
export interface LintFinding {
  /** Id of the rule, kebab-case; docs/reference/lint.md explains each. */
  readonly rule: string;
  readonly severity: LintSeverity;
  readonly category: LintCategory;
  /** One sentence. */
  readonly message: string;
  /** Subject of the finding: a tag, an address, a header field, at most 200 characters; null for the whole mail. */
  readonly subject: string | null;
}

/** Requirement of a rule that has findings. */
export interface LintRequirement {
  /** Id of the rule. */
  readonly rule: string;
  /** Requirement in words. */
  readonly meaning: string;
  /** Page that explains the rule or the standard that it is from; null for none. */
  readonly url: string | null;
}

/** Source of the accessibility findings. */
export interface AccessibilityJudge {
  /** `axe-core` and its version, on the mail as a browser renders it; or `restante`, the service's own rules. */
  readonly engine: string;
  /** Reason why axe-core did not run; null when it ran. */
  readonly engineProblem: string | null;
}

/** Findings of axe-core in a mail as a browser renders it. */
export interface AccessibilityAudit {
  /** `axe-core` and its version. */
  readonly engine: string;
  readonly findings: readonly LintFinding[];
  /** Rules that have findings. */
  readonly rules: readonly LintRequirement[];
}

/** Findings of axe-core, or why it did not run: exactly one of the two is null. */
export interface AuditOutcome {
  readonly audit: AccessibilityAudit | null;
  readonly problem: string | null;
}

/** Ids of all profiles. */
export const lintProfileIds = ["bulk-sender"] as const;

/** Profile: the requirements of some receivers. */
export type LintProfileId = (typeof lintProfileIds)[number];

/** Requirement of a profile, judged. */
export interface ProfileRequirement {
  readonly id: string;
  /** Receivers that demand it. */
  readonly receivers: string;
  readonly meaning: string;
  /** `not_judged` when the mail alone cannot tell, or DNS did not answer. */
  readonly result: "pass" | "fail" | "not_judged";
  /** Reason for a failure; null otherwise where there is none. */
  readonly reason: string | null;
}

/** Verdict of a profile: `fail` when a requirement fails. */
export interface ProfileVerdict {
  readonly id: LintProfileId;
  readonly verdict: "pass" | "fail";
  readonly requirements: readonly ProfileRequirement[];
}

/** Findings of all rules in a mail, most severe first. */
export interface LintReport {
  readonly accessibility: AccessibilityJudge;
  readonly findings: readonly LintFinding[];
  /** Number of findings of each severity, including those that are cut off. */
  readonly counts: Readonly<Record<LintSeverity, number>>;
  /** Rules that have findings, each once. */
  readonly rules: readonly LintRequirement[];
  /** Absent unless a profile was requested. */
  readonly profile?: ProfileVerdict;
}
