import type { FaultRule, FaultStage } from "../../core/fault.ts";
import { readOwnFaults, replaceOwnFaults } from "../own-faults.ts";
import { catcherRoutes, type CatcherCall, type CatcherRoute } from "../catcher.ts";
import { badRequest, readObject, type JsonObject } from "../read-json.ts";
import { json } from "./shapes.ts";

const path = "/api/v1/chaos";

/** Fault rule that a trigger of Mailpit becomes: a share of commands is answered with an error. */
interface TriggerRule {
  readonly rule: string;
  /** The stage at which a rule of one server can apply: the sender's own stage does not know the server yet. */
  readonly stage: FaultStage;
  readonly usualCode: number;
}

const triggerRules: Readonly<Record<string, TriggerRule>> = {
  Sender: { rule: "mailpit-sender", stage: "data", usualCode: 451 },
  Recipient: { rule: "mailpit-recipient", stage: "rcpt", usualCode: 451 },
  Authentication: { rule: "mailpit-authentication", stage: "auth", usualCode: 535 },
};
const triggers = Object.entries(triggerRules);
const ruleNames = triggers.map(([, { rule }]) => rule);

/** Routes of `/api/v1/chaos`: triggers are fault rules of the server, beside its other ones. */
export const chaosRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("read", { [`GET ${path}`]: async (call) => json(await readTriggers(call)) }),
  ...catcherRoutes("manage", {
    [`PUT ${path}`]: async (call) => {
      const body = await readObject(call, call.context.limits.jsonBodyBytesMax);
      const rules = triggers.flatMap(([name, trigger]) => ruleOf(name, trigger, body.object(name)));
      await replaceOwnFaults(call, ruleNames, rules);
      return json(await readTriggers(call));
    },
  }),
];

/** Returns the rule of a trigger; none without a probability. Throws a 400 for values that Mailpit does not take. */
function ruleOf(name: string, { rule, stage, usualCode }: TriggerRule, given: JsonObject): readonly FaultRule[] {
  const code = given.integer("ErrorCode") || usualCode;
  const percent = given.integer("Probability");
  if (code < 400 || code > 599) throw badRequest("error code must be between 400 and 599");
  if (percent < 0 || percent > 100) throw badRequest("probability must be between 0 and 100");
  if (percent === 0) return [];
  const reply = { code, text: `Chaos trigger ${name}` };
  return [{ name: rule, match: { stage }, when: { probability: percent / 100 }, then: { reply } }];
}

/** Returns the error code and the percentage of each trigger. */
async function readTriggers(call: CatcherCall): Promise<unknown> {
  const active = (await readOwnFaults(call, ruleNames)).filter(({ state }) => state === "active");
  const shown = triggers.map(([name, { rule, usualCode }]) => {
    const { then, when } = active.find((one) => one.name === rule) ?? {};
    const percent = Math.round((when?.probability ?? 0) * 100);
    return [name, { ErrorCode: then?.reply?.code ?? usualCode, Probability: percent }];
  });
  return Object.fromEntries(shown);
}
