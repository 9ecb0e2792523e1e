/** Lint reports as the wire shows them. */
import type { LintFinding, LintReport } from "../../core/lint.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "./schema.ts";

const count = build.integer({ minimum: 0 });

/** One thing that a rule has to say. */
export const lintFindingSchema: WireSchema<LintFinding> = schemaOf<LintFinding>()(
  build.object(
    {
      rule: build.string({ description: "See the reference page of lint." }),
      severity: build.enum(["error", "warning", "info"]),
      category: build.enum(["headers", "structure", "accessibility", "links", "compatibility"]),
      message: build.string(),
      subject: orNull(build.string({ description: "What it is about, at most 200 characters." })),
    },
    { $id: "LintFinding" },
  ),
);

/** What all rules have to say. */
export const lintReportSchema: WireSchema<LintReport> = schemaOf<LintReport>()(
  build.object(
    {
      findings: build.array(refer(lintFindingSchema), { description: "The gravest first; at most 50 of each rule." }),
      counts: build.object({ error: count, warning: count, info: count }, { description: "All of them." }),
      accessibility: build.object(
        {
          engine: build.string({
            description: "`axe-core` and its version, or `restante` for the service's own rules.",
          }),
          engineProblem: orNull(build.string({ description: "Why axe-core did not speak." })),
        },
        { description: "Who judged accessibility." },
      ),
    },
    { $id: "LintReport" },
  ),
);
