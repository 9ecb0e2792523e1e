/** Templates of fault rules. */
import type { FaultRule } from "../wire.ts";

type Template = Pick<FaultRule, "match" | "when" | "then">;

/** Templates by name, in the order in which they are offered. */
export const faultTemplates = {
  defer: {
    match: { stage: "rcpt" },
    when: { first: 3 },
    then: { reply: { code: 451, enhanced: "4.3.0", text: "Try again later" } },
  },
  reject: { match: { stage: "rcpt" }, then: { reply: { code: 550, enhanced: "5.1.1", text: "User unknown" } } },
  loseReply: { match: { stage: ["after-data", "request"] }, when: { first: 1 }, then: { loseReply: true } },
  greylist: { match: { stage: "rcpt" }, then: { greylist: { delayMs: 60_000 } } },
  slow: { match: { stage: ["after-data", "request"] }, then: { delayMs: 10_000 } },
  late: { match: { stage: ["after-data", "request"] }, then: { deliverAfterMs: 30_000 } },
  flaky: { match: { stage: "after-data" }, when: { probability: 0.2, seed: 1 }, then: { reply: { code: 451 } } },
  rateLimit: {
    match: { stage: "request" },
    when: { above: { count: 5, perMs: 10_000 } },
    then: { error: "rateLimited" },
  },
} as const satisfies Readonly<Record<string, Template>>;

/** Name of a template. */
export type FaultTemplate = keyof typeof faultTemplates;

/** Names of the templates. */
export const templateNames = Object.keys(faultTemplates) as readonly FaultTemplate[];

/** Returns the rule of a template, for all recipients unless one is given. */
export function ruleOfTemplate(
  template: FaultTemplate,
  { name, recipient }: { readonly name: string; readonly recipient: string },
): FaultRule {
  const rule: Template = faultTemplates[template];
  return { name, ...rule, match: { ...rule.match, ...(recipient !== "" && { recipient }) } };
}
