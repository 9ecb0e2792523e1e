import { build, orNull, refer, type ValueOf } from "./schema.ts";

const severities = ["error", "warning", "info"] as const;
const categories = ["headers", "structure", "accessibility", "links", "compatibility"] as const;
const count = build.integer({ minimum: 0 });

/** Severity of a finding: the mail is broken for some readers, should probably change, or is worth knowing about. */
export type LintSeverity = (typeof severities)[number];

/** Category of a rule. */
export type LintCategory = (typeof categories)[number];

/** Schema of a finding. */
export const lintFindingSchema = build.object(
  {
    rule: build.string("See the reference page of lint."),
    severity: build.enum(severities, "Severity of the finding."),
    category: build.enum(categories, "Category of the rule."),
    message: build.string("Finding in words."),
    subject: orNull(build.string("Part of the mail that the finding concerns, at most 200 characters.")),
  },
  { $id: "LintFinding" },
);

/** Finding of a rule in a mail. */
export type LintFinding = ValueOf<typeof lintFindingSchema>;

/** Schema of the requirement of a rule. */
export const lintRequirementSchema = build.object(
  {
    rule: build.string("Id of the rule."),
    meaning: build.string("Requirement in words."),
    url: orNull(build.string("Page that explains the rule or the standard that it is from.")),
  },
  { $id: "LintRequirement" },
);

/** Requirement of a rule that has findings. */
export type LintRequirement = ValueOf<typeof lintRequirementSchema>;

/** Findings of axe-core in a mail as a browser renders it. */
export interface AccessibilityAudit {
  /** `axe-core` and its version. */
  readonly engine: string;
  readonly findings: readonly LintFinding[];
  /** Rules that have findings. */
  readonly rules: readonly LintRequirement[];
  /** Texts that stick out of their box, at most 50. */
  readonly overflows?: readonly string[];
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

/** Schema of the verdict of a profile. */
export const profileVerdictSchema = build.object(
  {
    id: build.enum(lintProfileIds, "Id of the profile."),
    verdict: build.enum(["pass", "fail"], "`fail` when a requirement fails."),
    requirements: build.array(
      build.object({
        id: build.string("Id of the requirement."),
        receivers: build.string("Receivers that demand it."),
        meaning: build.string("Requirement in words."),
        result: build.enum(["pass", "fail", "not_judged"], "Result of the requirement."),
        reason: orNull(build.string("Reason of the result.")),
      }),
      "Requirements in the order of the reference page.",
    ),
  },
  { $id: "ProfileVerdict" },
);

/** Verdict of a profile: `fail` when a requirement fails. */
export type ProfileVerdict = ValueOf<typeof profileVerdictSchema>;

/** Requirement of a profile, judged: `not_judged` when the mail alone cannot tell, or DNS did not answer. */
export type ProfileRequirement = ProfileVerdict["requirements"][number];

/** Schema of a lint report. */
export const lintReportSchema = build.object(
  {
    findings: build.array(refer(lintFindingSchema), "Findings, most severe first; at most 50 of each rule."),
    counts: build.object({ error: count, warning: count, info: count }, "Number of all findings by severity."),
    accessibility: build.object(
      {
        engine: build.string("`axe-core` and its version, or `restante` for the service's own rules."),
        engineProblem: orNull(build.string("Reason why axe-core did not respond.")),
      },
      "Engine of the accessibility checks.",
    ),
    rules: build.array(refer(lintRequirementSchema), "Rules that have findings, each once."),
    profile: build.optional(refer(profileVerdictSchema, "Verdict of the requested profile.")),
  },
  { $id: "LintReport" },
);

/** Findings of all rules in a mail, most severe first. `counts` includes findings beyond the limit of the list. */
export type LintReport = ValueOf<typeof lintReportSchema>;
