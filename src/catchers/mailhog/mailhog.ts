/** API versions 1 and 2 of MailHog (https://github.com/mailhog/MailHog). */
import {
  catcherRoutes,
  type Catcher,
  type CatcherRoute,
  type CatcherSubscriber,
  type CatcherCall,
} from "../catcher.ts";
import { emptyResponse, plainResponse, streamJson } from "../responses.ts";
import { json, contentOf, messageSegments, readRaw } from "./mail.ts";
import { messageRoutes } from "./messages.ts";
import type { Change } from "../../core/events.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { readHeads } from "../../operations/messages/read-conversation.ts";
import { openChanges } from "../mailbox.ts";
import { readStructure } from "../received-message.ts";
import type { FaultOutcome, FaultRule, FaultStage } from "../../core/fault.ts";
import { readOwnFaults, replaceOwnFaults } from "../change-mailbox.ts";
import { build } from "../../core/schema.ts";
import { badRequest, decodeJson, readBody } from "../read-json.ts";

const notFound = plainResponse(404, "404 page not found\n");

/** SMTP servers that were saved for releases: none, since the relay is a setting of the service. */
const relayRoutes: readonly CatcherRoute[] = catcherRoutes("read", { "GET /api/v2/outgoing-smtp": () => json({}) });

/** Size of a mail whose bytes are in its event; larger ones have empty contents there. */
const wholeBytesMax = 1024 * 1024;
const noBytes = new Uint8Array();

const keepAlive = Buffer.from("keepalive: \n\n");

/** `GET /api/v1/events`: each message that the server receives, as a Server-Sent Event. */
const eventRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /api/v1/events": async (call) => {
    const headers = { "content-type": "text/event-stream", "cache-control": "no-cache" };
    if (call.isHead) return { status: 200, headers, body: null };
    call.holdEventStream();
    // Before the response begins, so that no message is missed afterwards.
    const changes = await openChanges(call);
    return { status: 200, headers, body: null, stream: writeEvents(readArrivals(call, changes)) };
  },
});

async function* writeEvents(arrivals: AsyncIterable<string | null>): AsyncGenerator<Uint8Array, void> {
  // Flushes the header section.
  yield keepAlive;
  for await (const text of arrivals) yield text === null ? keepAlive : Buffer.from(`data: ${text}\n\n`);
}

/** Yields each message that the server receives, as JSON. Ends when the subscriber disconnects. */
async function* streamArrivals(subscriber: CatcherSubscriber): AsyncGenerator<string, void> {
  for await (const text of readArrivals(subscriber, await openChanges(subscriber))) if (text !== null) yield text;
}

/** Yields the messages of changes as JSON; null from time to time, to keep connections open. */
async function* readArrivals(
  subscriber: CatcherSubscriber,
  changes: AsyncIterable<Change | null>,
): AsyncGenerator<string | null, void> {
  for await (const change of changes) {
    if (change === null) yield null;
    if (change?.kind !== "received" || change.id === null) continue;
    if (decodeMessageId(change.id).direction !== "Received") continue;
    const text = await readArrival(subscriber, change.id);
    if (text !== undefined) yield text;
  }
}

/** Returns a message as JSON; undefined when it no longer exists. */
async function readArrival(subscriber: CatcherSubscriber, id: MessageId): Promise<string | undefined> {
  const { context, principal, signal } = subscriber;
  const { value: head } = await readHeads({ ...context, gone: signal() }, principal, [id]).next();
  if (head === undefined) return undefined;
  const { message } = head.detail;
  const host = context.settings.mailDomain;
  const structure = await readStructure(subscriber, id);
  const raw = head.sizeBytes > wholeBytesMax ? noBytes : await readRaw(context, id);
  if (structure === undefined || raw === undefined) return undefined;
  const empty = { head: noBytes, body: noBytes, sizeBytes: head.sizeBytes, parts: null };
  const content = raw === noBytes ? empty : contentOf(raw, structure.root);
  const chunks = await Array.fromAsync(streamJson(messageSegments({ id, message, raw, content, host })));
  return Buffer.concat(chunks).toString("utf8");
}

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
const jimRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("read", {
    "GET /api/v2/jim": async (call) => {
      const jim = await readJim(call);
      return jim === undefined ? emptyResponse(404) : json(jim);
    },
  }),
  ...catcherRoutes("manage", {
    "POST /api/v2/jim": async (call) => {
      if ((await readJim(call)) !== undefined) return emptyResponse(400);
      const body = await call.readBody(call.context.limits.jsonBodyBytesMax);
      await store(call, body.byteLength === 0 ? usualJim : checkJim(await decodeJson(body, jimSchema)));
      return emptyResponse(201);
    },
    "PUT /api/v2/jim": async (call) => {
      if ((await readJim(call)) === undefined) return emptyResponse(404);
      await store(call, checkJim(await readBody(call, jimSchema)));
      return emptyResponse(200);
    },
    "DELETE /api/v2/jim": async (call) => {
      if ((await readJim(call)) === undefined) return emptyResponse(404);
      await replaceOwnFaults(call, names, []);
      return emptyResponse(200);
    },
  }),
];

const jimSchema = build.object(
  Object.fromEntries(Object.keys(usualJim).map((name) => [name, build.optional(build.number())])),
);

/** Returns the chances of a body; absent ones are 0, as Go decodes them. Throws a 400 for values out of range. */
function checkJim(body: Readonly<Partial<Record<string, number>>>): Jim {
  const entries = Object.keys(usualJim).map((name) => {
    const most = name.endsWith("Chance") || name === "LinkSpeedAffect" ? 1 : speedMax;
    const value = body[name] ?? 0;
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

/** MailHog. */
export const mailhog: Catcher = {
  name: "mailhog",
  routes: [...messageRoutes, ...jimRoutes, ...relayRoutes, ...eventRoutes],
  socket: { path: "/api/v2/websocket", permission: "read", open: streamArrivals },
  respondUnmatched: ({ method, path, allowed }) => {
    if (method === "OPTIONS" && path.startsWith("/api/")) return emptyResponse(200);
    return allowed.length > 0 ? emptyResponse(405) : notFound;
  },
  toErrorBody: ({ code, row }, detail) => (code === "not_found" ? notFound : plainResponse(row.status, `${detail}\n`)),
};
