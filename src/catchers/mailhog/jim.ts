import type { FaultOutcome, FaultRule, FaultStage } from "../../core/fault.ts";
import { readOwnFaults, replaceOwnFaults } from "../own-faults.ts";
import { catcherRoutes, type CatcherCall, type CatcherRoute } from "../catcher.ts";
import { badRequest, parseObject, type JsonObject } from "../read-json.ts";
import { emptyResponse } from "../responses.ts";
import { json } from "./mail.ts";

const path = "/api/v2/jim";
const speedMax = 1_000_000_000;

/** Values of MailHog for a body without them: chances from 0 to 1, and the link speed in bytes per second. */
const usualJim = {
  DisconnectChance: 0.005,
  AcceptChance: 0.99,
  LinkSpeedAffect: 0.1,
  LinkSpeedMin: 1024,
  LinkSpeedMax: 10240,
  RejectSenderChance: 0.05,
  RejectRecipientChance: 0.05,
  RejectAuthChance: 0.05,
};

type Jim = Readonly<typeof usualJim>;

const linkSpeedRule = "mailhog-link-speed";

/**
 * Fault rules of the chances: name, stage, chance and outcome. Rules of one server apply once a session is known to belong to
 * it. That of `AcceptChance` applies to the rest of the connections.
 */
const jimRules: readonly (readonly [rule: string, stage: FaultStage, chance: keyof Jim, then: FaultOutcome])[] = [
  ["mailhog-accept", "rcpt", "AcceptChance", { drop: true }],
  ["mailhog-disconnect", "data", "DisconnectChance", { drop: true }],
  [linkSpeedRule, "data", "LinkSpeedAffect", {}],
  ["mailhog-sender", "data", "RejectSenderChance", { reply: { code: 550, text: "Invalid sender" } }],
  ["mailhog-recipient", "rcpt", "RejectRecipientChance", { reply: { code: 550, text: "Invalid recipient" } }],
  ["mailhog-authentication", "auth", "RejectAuthChance", { reply: { code: 535, text: "Authentication failed" } }],
];
const names = jimRules.map(([name]) => name);

/** Routes of the chaos monkey: its chances are fault rules of the server, beside its other ones. */
export const jimRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("read", {
    [`GET ${path}`]: async (call) => {
      const jim = await readJim(call);
      return jim === undefined ? emptyResponse(404) : json(jim);
    },
  }),
  ...catcherRoutes("manage", {
    [`POST ${path}`]: async (call) => {
      if ((await readJim(call)) !== undefined) return emptyResponse(400);
      const body = await call.readBody(call.context.limits.jsonBodyBytesMax);
      await store(call, body.byteLength === 0 ? usualJim : jimOf(parseObject(body)));
      return emptyResponse(201);
    },
    [`PUT ${path}`]: async (call) => {
      if ((await readJim(call)) === undefined) return emptyResponse(404);
      await store(call, jimOf(parseObject(await call.readBody(call.context.limits.jsonBodyBytesMax))));
      return emptyResponse(200);
    },
    [`DELETE ${path}`]: async (call) => {
      if ((await readJim(call)) === undefined) return emptyResponse(404);
      await replaceOwnFaults(call, names, []);
      return emptyResponse(200);
    },
  }),
];

/** Returns the chances of a body; absent ones are 0, as Go decodes them. Throws a 400 for values out of range. */
function jimOf(body: JsonObject): Jim {
  const entries = Object.keys(usualJim).map((name) => {
    const most = name.endsWith("Chance") || name === "LinkSpeedAffect" ? 1 : speedMax;
    const value = body.number(name);
    if (value < 0 || value > most) throw badRequest(`${name} must be between 0 and ${most}`);
    return [name, value] as const;
  });
  return Object.fromEntries(entries) as unknown as Jim;
}

async function store(call: CatcherCall, jim: Jim): Promise<void> {
  const throttle = Math.max(1, Math.round((jim.LinkSpeedMin + jim.LinkSpeedMax) / 2));
  const rules = jimRules.map(([name, stage, chance, then]): FaultRule => ({
    name,
    match: { stage },
    when: { probability: probabilityOf(chance, jim[chance]) },
    then: name === linkSpeedRule ? { throttle } : then,
  }));
  await replaceOwnFaults(call, names, rules);
}

/** Returns the chances of the rules; undefined when there are none. Both link speeds are that of the rule. */
async function readJim(call: CatcherCall): Promise<Jim | undefined> {
  const rules = new Map((await readOwnFaults(call, names)).map((rule) => [rule.name, rule]));
  if (rules.size === 0) return undefined;
  const chances = jimRules.map(([name, , chance]) => {
    return [chance, probabilityOf(chance, rules.get(name)?.when?.probability ?? 0)] as const;
  });
  const speed = rules.get(linkSpeedRule)?.then.throttle ?? 0;
  // The members have the order of MailHog.
  return { ...usualJim, ...(Object.fromEntries(chances) as Partial<Jim>), LinkSpeedMin: speed, LinkSpeedMax: speed };
}

/** Returns the probability of the rule of a chance, or the chance for the probability of its rule. */
function probabilityOf(name: keyof Jim, chance: number): number {
  return name === "AcceptChance" ? rounded(1 - chance) : rounded(chance);
}

/** Returns a chance without the error of its subtraction. */
function rounded(chance: number): number {
  return Math.round(chance * 1e9) / 1e9;
}
