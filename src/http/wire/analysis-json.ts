import type { DeliverabilityReport } from "../../operations/checks/get-deliverability.ts";
import type { SpamAnalysis } from "../../operations/checks/get-spam-analysis.ts";
import type { WireDeliverability, WireSpamAnalysis, WireSpamRule } from "./analysis-schema.ts";
import { decimal } from "./decimal.ts";

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
