/** Schemas of spam analyses and deliverability reports, with the members that the official libraries read. */
import type { DeliverabilityReport, SpamAnalysis } from "../../operations/checks/analyses.ts";
import { decimal } from "./query.ts";
import { build, orNull, refer, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";

/** JSON of a verdict. */
export type WireVerdict = DeliverabilityReport["spf"];

const text = build.string();
const texts = build.array(text);
const flag = build.boolean();
const size = build.integer({ minimum: 0 });
const result = build.enum(["Pass", "Warning", "Fail", "Timeout"]);
const engine = build.string("`SpamAssassin`, or `restante` for the service's own rules.");
const engineProblem = orNull(build.string("Reason why the configured filter did not respond."));

/** Schema of a matched rule. */
export const spamRuleSchema = build.object(
  { score: build.number("Always with a decimal point."), rule: text, description: text },
  { $id: "SpamRule" },
);

/** JSON of a matched rule; `score` is written with a decimal point. */
type WireSpamRule = ValueOf<typeof spamRuleSchema>;

const rules = build.array(refer(spamRuleSchema));

/** Schema of a spam analysis. */
export const spamAnalysisSchema = build.object(
  { spamFilterResults: build.object({ spamAssassin: rules }), score: build.number(), engine, engineProblem },
  { $id: "SpamAnalysis" },
);

/** JSON of a spam analysis. */
export type WireSpamAnalysis = ValueOf<typeof spamAnalysisSchema>;

/** Schema of a verdict. */
export const verdictSchema: WireSchema<WireVerdict> = schemaOf<WireVerdict>()(
  build.object(
    {
      result,
      description: text,
      rawValue: build.string("DNS record that decided; empty when there is none."),
      tags: build.record(text),
    },
    { $id: "Verdict" },
  ),
);

const verdict = refer(verdictSchema);

/** Schema of a deliverability report. */
export const deliverabilitySchema = build.object(
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
);

/** JSON of a deliverability report. */
export type WireDeliverability = ValueOf<typeof deliverabilitySchema>;

/** Returns a spam analysis in its JSON form, whatever the engine: the official libraries know only this member. */
export function toWireSpamAnalysis({ score, rules, engine, engineProblem }: SpamAnalysis): WireSpamAnalysis {
  return {
    spamFilterResults: { spamAssassin: rules.map(toWireRule) },
    score: decimal(score),
    engine,
    engineProblem,
  };
}

/** Returns a deliverability report in its JSON form: the members that the official libraries know come first. */
export function toWireDeliverability(report: DeliverabilityReport): WireDeliverability {
  const { spf, dkim, dmarc, blockLists, content, dnsRecords, spam, arc, bimi, dns } = report;
  const { score, result, rules, engine, engineProblem } = spam;
  const spamAssassin = { score: Math.round(score), result, rules: rules.map(toWireRule), engine, engineProblem };
  return { spf, dkim, dmarc, blockLists, content, dnsRecords, spamAssassin, arc, bimi, dns };
}

function toWireRule({ score, rule, description }: SpamAnalysis["rules"][number]): WireSpamRule {
  return { score: decimal(score), rule, description };
}
