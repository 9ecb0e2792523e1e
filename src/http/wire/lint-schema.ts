/** Lint reports as the wire shows them. */
import type { LintFinding, LintReport } from "../../core/lint.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "./schema.ts";

const count = build.Integer({ minimum: 0 });

/** One thing that a rule has to say. */
export const lintFindingSchema: WireSchema<LintFinding> = schemaOf<LintFinding>()(
  build.Object(
    {
      rule: build.String({ description: "See the reference page of lint." }),
      severity: build.Enum(["error", "warning", "info"]),
      category: build.Enum(["headers", "structure", "accessibility", "links", "compatibility"]),
      message: build.String(),
      subject: orNull(build.String({ description: "What it is about, at most 200 characters." })),
    },
    { $id: "LintFinding" },
  ),
);

/** What all rules have to say. */
export const lintReportSchema: WireSchema<LintReport> = schemaOf<LintReport>()(
  build.Object(
    {
      findings: build.Array(refer(lintFindingSchema), { description: "The gravest first; at most 50 of each rule." }),
      counts: build.Object({ error: count, warning: count, info: count }, { description: "All of them." }),
      accessibility: build.Object(
        {
          engine: build.String({
            description: "`axe-core` and its version, or `restante` for the service's own rules.",
          }),
          engineProblem: orNull(build.String({ description: "Why axe-core did not speak." })),
        },
        { description: "Who judged accessibility." },
      ),
    },
    { $id: "LintReport" },
  ),
);
