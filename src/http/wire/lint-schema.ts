/** Schemas of lint reports. */
import type { LintFinding, LintReport } from "../../core/lint.ts";
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
    },
    { $id: "LintReport" },
  ),
);
