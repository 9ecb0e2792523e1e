/** Spam analyses and deliverability reports as the wire shows them: the members that the official libraries read. */
import type { DeliverabilityReport } from "../../operations/get-deliverability.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "./schema.ts";

/** A rule that matched; `score` is written with a decimal point. */
export interface WireSpamRule {
  readonly score: number;
  readonly rule: string;
  readonly description: string;
}

/** A spam analysis. */
export interface WireSpamAnalysis {
  readonly spamFilterResults: { readonly spamAssassin: readonly WireSpamRule[] };
  /** Written with a decimal point. */
  readonly score: number;
  readonly engine: string;
  readonly engineProblem: string | null;
}

/** A verdict of a check. */
export type WireVerdict = DeliverabilityReport["spf"];

/** A deliverability report. */
export interface WireDeliverability extends Omit<DeliverabilityReport, "spam" | "dkim"> {
  readonly dkim: readonly WireVerdict[];
  readonly spamAssassin: {
    /** A whole number. */
    readonly score: number;
    readonly result: WireVerdict["result"];
    readonly rules: readonly WireSpamRule[];
    readonly engine: string;
    readonly engineProblem: string | null;
  };
}

const text = build.String();
const texts = build.Array(text);
const flag = build.Boolean();
const size = build.Integer({ minimum: 0 });
const result = build.Enum(["Pass", "Warning", "Fail", "Timeout"]);
const engine = build.String({ description: "`SpamAssassin`, or `restante` for the service's own rules." });
const engineProblem = orNull(build.String({ description: "Why the filter that the operator named did not speak." }));

/** A rule that matched. */
export const spamRuleSchema: WireSchema<WireSpamRule> = schemaOf<WireSpamRule>()(
  build.Object(
    { score: build.Number({ description: "Always with a decimal point." }), rule: text, description: text },
    { $id: "SpamRule" },
  ),
);

const rules = build.Array(refer(spamRuleSchema));

/** A spam analysis. */
export const spamAnalysisSchema: WireSchema<WireSpamAnalysis> = schemaOf<WireSpamAnalysis>()(
  build.Object(
    { spamFilterResults: build.Object({ spamAssassin: rules }), score: build.Number(), engine, engineProblem },
    { $id: "SpamAnalysis" },
  ),
);

/** A verdict of a check. */
export const verdictSchema: WireSchema<WireVerdict> = schemaOf<WireVerdict>()(
  build.Object(
    {
      result,
      description: text,
      rawValue: build.String({ description: "The DNS record that decided; empty where there is none." }),
      tags: build.Record(text, text),
    },
    { $id: "Verdict" },
  ),
);

const verdict = refer(verdictSchema);

/** A deliverability report. */
export const deliverabilitySchema: WireSchema<WireDeliverability> = schemaOf<WireDeliverability>()(
  build.Object(
    {
      spf: verdict,
      dkim: build.Array(verdict),
      dmarc: verdict,
      arc: verdict,
      bimi: verdict,
      blockLists: build.Array(build.Object({ id: text, name: text, result })),
      content: build.Object({
        embed: flag,
        iframe: flag,
        object: flag,
        script: flag,
        shortUrls: flag,
        missingAlt: flag,
        missingListUnsubscribe: flag,
        textSize: size,
        totalSize: size,
      }),
      dnsRecords: build.Object({ a: texts, mx: texts, ptr: texts }),
      spamAssassin: build.Object({ score: build.Integer(), result, rules, engine, engineProblem }),
      dns: build.Enum(["off", "system", "servers", "fixtures"]),
    },
    { $id: "DeliverabilityReport" },
  ),
);
