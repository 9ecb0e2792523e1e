import type { FaultOutcome, FaultRule, FaultStage } from "../../core/fault.ts";
import { readOwnFaults, replaceOwnFaults } from "../own-faults.ts";
import { peerRoutes, type PeerCall, type PeerRoute } from "../peer.ts";
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

/** Fault rule of a chance. Rules of one server apply once a session is known to belong to it. */
interface JimRule {
  readonly name: string;
  readonly stage: FaultStage;
  readonly chanceOf: (jim: Jim) => number;
  readonly then: (jim: Jim) => FaultOutcome;
}

const rejects =
  (code: number, text: string): JimRule["then"] =>
  () => ({ reply: { code, text } });

const jimRules: readonly JimRule[] = [
  { name: "mailhog-accept", stage: "rcpt", chanceOf: (jim) => 1 - jim.AcceptChance, then: () => ({ drop: true }) },
  { name: "mailhog-disconnect", stage: "data", chanceOf: (jim) => jim.DisconnectChance, then: () => ({ drop: true }) },
  {
    name: "mailhog-link-speed",
    stage: "data",
    chanceOf: (jim) => jim.LinkSpeedAffect,
    then: (jim) => ({ throttle: Math.max(1, Math.round((jim.LinkSpeedMin + jim.LinkSpeedMax) / 2)) }),
  },
  {
    name: "mailhog-sender",
    stage: "data",
    chanceOf: (jim) => jim.RejectSenderChance,
    then: rejects(550, "Invalid sender"),
  },
  {
    name: "mailhog-recipient",
    stage: "rcpt",
    chanceOf: (jim) => jim.RejectRecipientChance,
    then: rejects(550, "Invalid recipient"),
  },
  {
    name: "mailhog-authentication",
    stage: "auth",
    chanceOf: (jim) => jim.RejectAuthChance,
    then: rejects(535, "Authentication failed"),
  },
];
const names = jimRules.map(({ name }) => name);

/** Routes of the chaos monkey: its chances are fault rules of the server, beside its other ones. */
export const jimRoutes: readonly PeerRoute[] = [
  ...peerRoutes("read", {
    [`GET ${path}`]: async (call) => {
      const jim = await readJim(call);
      return jim === undefined ? emptyResponse(404) : json(jim);
    },
  }),
  ...peerRoutes("manage", {
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
