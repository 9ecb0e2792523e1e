import type { FaultOutcome, FaultRule, FaultStage } from "../../core/fault.ts";
import { readOwnFaults, replaceOwnFaults } from "../own-faults.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { badRequest, parseObject, type JsonObject } from "../read-json.ts";
import { empty, json } from "./responses.ts";

const path = "/api/v2/jim";

/** Chances from 0 to 1, and the link speed in bytes per second. */
interface Jim {
  readonly DisconnectChance: number;
  readonly AcceptChance: number;
  readonly LinkSpeedAffect: number;
  readonly LinkSpeedMin: number;
  readonly LinkSpeedMax: number;
  readonly RejectSenderChance: number;
  readonly RejectRecipientChance: number;
  readonly RejectAuthChance: number;
}

/** Values of MailHog for a body without them. */
const usualJim: Jim = {
  DisconnectChance: 0.005,
  AcceptChance: 0.99,
  LinkSpeedAffect: 0.1,
  LinkSpeedMin: 1024,
  LinkSpeedMax: 10240,
  RejectSenderChance: 0.05,
  RejectRecipientChance: 0.05,
  RejectAuthChance: 0.05,
};

/** Fault rule of a chance. Rules of one server apply once a session is known to belong to it. */
interface JimRule {
  readonly name: string;
  readonly stage: FaultStage;
  readonly chanceOf: (jim: Jim) => number;
  readonly then: (jim: Jim) => FaultOutcome;
}

const jimRules: readonly JimRule[] = [
  {
    name: "mailhog-accept",
    stage: "rcpt",
    chanceOf: ({ AcceptChance }) => 1 - AcceptChance,
    then: () => ({ drop: true }),
  },
  { name: "mailhog-disconnect", stage: "data", chanceOf: (jim) => jim.DisconnectChance, then: () => ({ drop: true }) },
  {
    name: "mailhog-link-speed",
    stage: "data",
    chanceOf: (jim) => jim.LinkSpeedAffect,
    then: ({ LinkSpeedMin, LinkSpeedMax }) => ({
      throttle: Math.max(1, Math.round((LinkSpeedMin + LinkSpeedMax) / 2)),
    }),
  },
  {
    name: "mailhog-sender",
    stage: "data",
    chanceOf: (jim) => jim.RejectSenderChance,
    then: () => ({ reply: { code: 550, text: "Invalid sender" } }),
  },
  {
    name: "mailhog-recipient",
    stage: "rcpt",
    chanceOf: (jim) => jim.RejectRecipientChance,
    then: () => ({ reply: { code: 550, text: "Invalid recipient" } }),
  },
  {
    name: "mailhog-authentication",
    stage: "auth",
    chanceOf: (jim) => jim.RejectAuthChance,
    then: () => ({ reply: { code: 535, text: "Authentication failed" } }),
  },
];
const names = jimRules.map(({ name }) => name);

/** Routes of the chaos monkey: its chances are fault rules of the server, beside its other ones. */
export const jimRoutes: readonly PeerRoute[] = [
  {
    method: "GET",
    path,
    permission: "read",
    respond: async (call) => {
      const jim = await readJim(call);
      return jim === undefined ? empty(404) : json(jim);
    },
  },
  {
    method: "POST",
    path,
    permission: "manage",
    respond: async (call) => {
      if ((await readJim(call)) !== undefined) return empty(400);
      const body = await call.readBody(call.context.limits.jsonBodyBytesMax);
      await store(call, body.byteLength === 0 ? usualJim : jimOf(parseObject(body)));
      return empty(201);
    },
  },
  {
    method: "PUT",
    path,
    permission: "manage",
    respond: async (call) => {
      if ((await readJim(call)) === undefined) return empty(404);
      await store(call, jimOf(parseObject(await call.readBody(call.context.limits.jsonBodyBytesMax))));
      return empty(200);
    },
  },
  {
    method: "DELETE",
    path,
    permission: "manage",
    respond: async (call) => {
      if ((await readJim(call)) === undefined) return empty(404);
      await replaceOwnFaults(call, names, []);
      return empty(200);
    },
  },
];

/** Returns the chances of a body; absent ones are 0, as Go decodes them. Throws a 400 for values out of range. */
function jimOf(body: JsonObject): Jim {
  const chance = (name: keyof Jim): number => {
    const value = body.number(name);
    if (value < 0 || value > 1) throw badRequest(`${name} must be between 0 and 1`);
    return value;
  };
  const speed = (name: keyof Jim): number => {
    const value = body.number(name);
    if (value < 0 || value > 1e9) throw badRequest(`${name} must be between 0 and 1000000000`);
    return value;
  };
  return {
    DisconnectChance: chance("DisconnectChance"),
    AcceptChance: chance("AcceptChance"),
    LinkSpeedAffect: chance("LinkSpeedAffect"),
    LinkSpeedMin: speed("LinkSpeedMin"),
    LinkSpeedMax: speed("LinkSpeedMax"),
    RejectSenderChance: chance("RejectSenderChance"),
    RejectRecipientChance: chance("RejectRecipientChance"),
    RejectAuthChance: chance("RejectAuthChance"),
  };
}

async function store(call: PeerCall, jim: Jim): Promise<void> {
  const rules = jimRules.map(({ name, stage, chanceOf, then }): FaultRule => ({
    name,
    match: { stage },
    when: { probability: rounded(chanceOf(jim)) },
    then: then(jim),
  }));
  await replaceOwnFaults(call, names, rules);
}

/** Returns the chances of the rules; undefined when there are none. Both link speeds are that of the rule. */
async function readJim(call: PeerCall): Promise<Jim | undefined> {
  const rules = new Map((await readOwnFaults(call, names)).map((rule) => [rule.name, rule]));
  if (rules.size === 0) return undefined;
  const chance = (name: string): number => rules.get(name)?.when?.probability ?? 0;
  const speed = rules.get("mailhog-link-speed")?.then.throttle ?? 0;
  return {
    DisconnectChance: chance("mailhog-disconnect"),
    AcceptChance: rounded(1 - chance("mailhog-accept")),
    LinkSpeedAffect: chance("mailhog-link-speed"),
    LinkSpeedMin: speed,
    LinkSpeedMax: speed,
    RejectSenderChance: chance("mailhog-sender"),
    RejectRecipientChance: chance("mailhog-recipient"),
    RejectAuthChance: chance("mailhog-authentication"),
  };
}

/** Returns a chance without the error of its subtraction. */
function rounded(chance: number): number {
  return Math.round(chance * 1e9) / 1e9;
}
