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

const text = build.string();
const texts = build.array(text);
const flag = build.boolean();
const size = build.integer({ minimum: 0 });
const result = build.enum(["Pass", "Warning", "Fail", "Timeout"]);
const engine = build.string({ description: "`SpamAssassin`, or `restante` for the service's own rules." });
const engineProblem = orNull(build.string({ description: "Why the filter that the operator named did not speak." }));

/** A rule that matched. */
export const spamRuleSchema: WireSchema<WireSpamRule> = schemaOf<WireSpamRule>()(
  build.object(
    { score: build.number({ description: "Always with a decimal point." }), rule: text, description: text },
    { $id: "SpamRule" },
  ),
);

const rules = build.array(refer(spamRuleSchema));

/** A spam analysis. */
export const spamAnalysisSchema: WireSchema<WireSpamAnalysis> = schemaOf<WireSpamAnalysis>()(
  build.object(
    { spamFilterResults: build.object({ spamAssassin: rules }), score: build.number(), engine, engineProblem },
    { $id: "SpamAnalysis" },
  ),
);

/** A verdict of a check. */
export const verdictSchema: WireSchema<WireVerdict> = schemaOf<WireVerdict>()(
  build.object(
    {
      result,
      description: text,
      rawValue: build.string({ description: "The DNS record that decided; empty where there is none." }),
      tags: build.record(text),
    },
    { $id: "Verdict" },
  ),
);

const verdict = refer(verdictSchema);

/** A deliverability report. */
export const deliverabilitySchema: WireSchema<WireDeliverability> = schemaOf<WireDeliverability>()(
  build.object(
    {
      spf: verdict,
      dkim: build.array(verdict),
      dmarc: verdict,
      arc: verdict,
      bimi: verdict,
      blockLists: build.array(build.object({ id: text, name: text, result })),
      content: build.object({
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
      dnsRecords: build.object({ a: texts, mx: texts, ptr: texts }),
      spamAssassin: build.object({ score: build.integer(), result, rules, engine, engineProblem }),
      dns: build.enum(["off", "system", "servers", "fixtures"]),
    },
    { $id: "DeliverabilityReport" },
  ),
);
