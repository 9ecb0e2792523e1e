import type { FaultRule, FaultStage } from "../../core/fault.ts";
import { readOwnFaults, replaceOwnFaults } from "../own-faults.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { badRequest, readObject, type JsonObject } from "../read-json.ts";
import { json } from "./responses.ts";

const path = "/api/v1/chaos";

/** Trigger of Mailpit: a share of commands is answered with an error. */
interface Trigger {
  readonly ErrorCode: number;
  /** Percent, 0 to 100. */
  readonly Probability: number;
}

type TriggerName = "Sender" | "Recipient" | "Authentication";

/** Fault rule that a trigger becomes. */
interface TriggerRule {
  readonly rule: string;
  /** The stage at which a rule of one server can apply: the sender's own stage does not know the server yet. */
  readonly stage: FaultStage;
  readonly usualCode: number;
}

const triggerRules: Readonly<Record<TriggerName, TriggerRule>> = {
  Sender: { rule: "mailpit-sender", stage: "data", usualCode: 451 },
  Recipient: { rule: "mailpit-recipient", stage: "rcpt", usualCode: 451 },
  Authentication: { rule: "mailpit-authentication", stage: "auth", usualCode: 535 },
};
const triggerNames: readonly TriggerName[] = ["Sender", "Recipient", "Authentication"];
const ruleNames = triggerNames.map((name) => triggerRules[name].rule);

/** Routes of `/api/v1/chaos`: triggers are fault rules of the server, beside its other ones. */
export const chaosRoutes: readonly PeerRoute[] = [
  { method: "GET", path, permission: "read", respond: async (call) => json(await readTriggers(call)) },
  {
    method: "PUT",
    path,
    permission: "manage",
    respond: async (call) => {
      const body = await readObject(call, call.context.limits.jsonBodyBytesMax);
      const rules = triggerNames.flatMap((name) => ruleOf(name, body.object(name)));
      await replaceOwnFaults(call, ruleNames, rules);
      return json(await readTriggers(call));
    },
  },
];

/** Returns the rule of a trigger; none without a probability. Throws a 400 for values that Mailpit does not take. */
function ruleOf(name: TriggerName, given: JsonObject): readonly FaultRule[] {
  const { rule, stage, usualCode } = triggerRules[name];
  const code = given.integer("ErrorCode") || usualCode;
  const percent = given.integer("Probability");
  if (code < 400 || code > 599) throw badRequest("error code must be between 400 and 599");
  if (percent < 0 || percent > 100) throw badRequest("probability must be between 0 and 100");
  if (percent === 0) return [];
  const reply = { code, text: `Chaos trigger ${name}` };
  return [{ name: rule, match: { stage }, when: { probability: percent / 100 }, then: { reply } }];
}

async function readTriggers(call: PeerCall): Promise<Readonly<Record<TriggerName, Trigger>>> {
  const rules = await readOwnFaults(call, ruleNames);
  const triggerOf = (name: TriggerName): Trigger => {
    const { rule: wanted, usualCode } = triggerRules[name];
    const rule = rules.find((one) => one.name === wanted && one.state === "active");
    return {
      ErrorCode: rule?.then.reply?.code ?? usualCode,
      Probability: Math.round((rule?.when?.probability ?? 0) * 100),
    };
  };
  return {
    Sender: triggerOf("Sender"),
    Recipient: triggerOf("Recipient"),
    Authentication: triggerOf("Authentication"),
  };
}
