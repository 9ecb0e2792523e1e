/** Schemas of lint reports. */
import {
  lintProfileIds,
  type LintFinding,
  type LintReport,
  type LintRequirement,
  type ProfileVerdict,
} from "../../core/lint.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "./schema.ts";

const count = build.integer({ minimum: 0 });

/** Schema of a finding. */
export const lintFindingSchema: WireSchema<LintFinding> = schemaOf<LintFinding>()(
  build.object(
    {
      rule: build.string({ description: "See the reference page of lint." }),
      severity: build.enum(["error", "warning", "info"]),
      category: build.enum(["headers", "structure", "accessibility", "links", "compatibility"]),
      message: build.string(),
      subject: orNull(
        build.string({ description: "Part of the mail that the finding concerns, at most 200 characters." }),
      ),
    },
    { $id: "LintFinding" },
  ),
);

/** Schema of the requirement of a rule. */
export const lintRequirementSchema: WireSchema<LintRequirement> = schemaOf<LintRequirement>()(
  build.object(
    {
      rule: build.string(),
      meaning: build.string({ description: "Requirement in words." }),
      url: orNull(build.string({ description: "Page that explains the rule or the standard that it is from." })),
    },
    { $id: "LintRequirement" },
  ),
);

/** Schema of the verdict of a profile. */
export const profileVerdictSchema: WireSchema<ProfileVerdict> = schemaOf<ProfileVerdict>()(
  build.object(
    {
      id: build.enum(lintProfileIds, { description: "Id of the profile." }),
      verdict: build.enum(["pass", "fail"], { description: "`fail` when a requirement fails." }),
      requirements: build.array(
        build.object({
          id: build.string({ description: "Id of the requirement." }),
          receivers: build.string({ description: "Receivers that demand it." }),
          meaning: build.string({ description: "Requirement in words." }),
          result: build.enum(["pass", "fail", "not_judged"], { description: "Result of the requirement." }),
          reason: orNull(build.string({ description: "Reason of the result." })),
        }),
        { description: "Requirements in the order of the reference page." },
      ),
    },
    { $id: "ProfileVerdict" },
  ),
);

/** Schema of a lint report. */
export const lintReportSchema: WireSchema<LintReport> = schemaOf<LintReport>()(
  build.object(
    {
      findings: build.array(refer(lintFindingSchema), {
        description: "Findings, most severe first; at most 50 of each rule.",
      }),
      counts: build.object(
        { error: count, warning: count, info: count },
        { description: "Number of all findings by severity." },
      ),
      accessibility: build.object(
        {
          engine: build.string({
            description: "`axe-core` and its version, or `restante` for the service's own rules.",
          }),
          engineProblem: orNull(build.string({ description: "Reason why axe-core did not respond." })),
        },
        { description: "Engine of the accessibility checks." },
      ),
      rules: build.array(refer(lintRequirementSchema), { description: "Rules that have findings, each once." }),
      profile: build.optional(refer(profileVerdictSchema)),
    },
    { $id: "LintReport" },
  ),
);
