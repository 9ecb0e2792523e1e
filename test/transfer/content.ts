/** Stores with every kind of record, and a complete dump of a store through its contract. */
import { criteriaExpression } from "../../src/core/search/build-expression.ts";
import { freshKey } from "../../src/core/api-key.ts";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import { foldAddress, foldText } from "../../src/core/fold.ts";
import { attachmentIdAt, encodeMessageId, newServerId, type MessageId, type ServerId } from "../../src/core/ids.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import type { Direction, ProviderOrigin } from "../../src/core/message.ts";
import type { SearchExpression } from "../../src/core/search/search-expression.ts";
import { recordEmail } from "../../src/operations/services/reading/email-record.ts";
import { readEmail } from "../../src/operations/services/reading/read-email.ts";
import { recordSms } from "../../src/operations/services/reading/sms-record.ts";
import type { NewOutboxEntry } from "../../src/store/outbox-store.ts";
import { noTeamLimits } from "../../src/core/team-limits.ts";
import type { NewServer } from "../../src/store/server-store.ts";
import type { NewMessage, Store } from "../../src/store/store.ts";
import { codePoint } from "../../src/testing/code-point.test-aid.ts";

/** 2026-11-20T10:42:07.975Z. */
export const epochMs: number = Date.UTC(2026, 10, 20, 10, 42, 7, 975);

/** Content of a store. */
export interface Content {
  readonly servers: readonly (NewServer & { readonly zone: string | null })[];
  readonly messages: readonly NewMessage[];
  readonly entries: readonly NewOutboxEntry[];
  readonly phrases: readonly string[] | null;
  readonly names: readonly string[];
}

const texts = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc.constantFrom("Your code is 482913", "\u0000\ud800 lone", "From me\n>From you\n", "確認 ß İ", ""),
);

interface MailDraft {
  readonly subject: string;
  readonly body: string;
  readonly attachments: readonly string[];
  readonly junk: string;
  readonly isText: boolean;
  readonly isSent: boolean;
  readonly mailFrom: string | null;
  readonly status: "none" | "Sent" | "Failed";
  readonly server: number;
}

const drafts: fc.Arbitrary<MailDraft> = fc.record({
  subject: texts,
  body: texts,
  attachments: fc.array(texts, { maxLength: 3 }),
  junk: texts,
  isText: fc.boolean(),
  isSent: fc.boolean(),
  mailFrom: fc.constantFrom("app@example.com", "", null, "Ü@x.test"),
  status: fc.constantFrom("none", "Sent", "Failed"),
  server: fc.nat(2),
});

/** Arbitrary message bytes: headers, a text, attachments, and trailing bytes that are not a message. */
export function mailOf({
  subject,
  body,
  attachments,
  junk,
}: Pick<MailDraft, "subject" | "body" | "attachments" | "junk">): Buffer {
  const encoded = Buffer.from(subject).toString("base64");
  const parts = attachments.map(
    (text, at) =>
      `--b\r\nContent-Type: text/plain; name="a${at}.txt"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(text).toString("base64")}\r\n`,
  );
  const head = `From: App <app@example.com>\r\nTo: "Ann" <ann@x.test>\r\nSubject: =?utf-8?B?${encoded}?=\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`;
  return Buffer.from(
    `${head}--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>${body}</p>\r\n${parts.join("")}--b--\r\n${junk}`,
  );
}

function messageOf(id: MessageId, draft: MailDraft): NewMessage {
  if (draft.isText)
    return recordSms(id, { from: "+447700900001", to: "+447700900002", text: draft.body, via: "twilio" });
  const raw = mailOf(draft);
  const session = { ehlo: "app", clientAddress: "127.0.0.1", protocol: "ESMTP", tls: null, authenticatedAs: null };
  const envelope = { mailFrom: draft.mailFrom, rcptTo: ["ann@x.test", "hidden@x.test"] };
  const origin = { provider: originOf(draft), submittedAs: id };
  const mail = { raw, envelope, session: draft.isSent ? null : session, ...(draft.attachments.length === 1 && origin) };
  return recordEmail(id, mail, readEmail(raw, defaultLimits));
}

function originOf({ subject, body }: MailDraft): ProviderOrigin {
  const scheduledAt = "2026-11-20T10:42:07.975Z";
  const template = { id: "t-1", data: { name: body } };
  return { name: "acme", id: "acme-1", tags: ["welcome", subject], metadata: { user: body }, template, scheduledAt };
}

/** Message with an incompressible attachment of 400 kB. */
export function aLargeMail(server: ServerId): NewMessage {
  const id = encodeMessageId({ server, direction: "Received", receivedAt: epochMs + 1, random: 0 });
  const attachments = [randomBytes(300_000).toString("base64")];
  const raw = mailOf({ subject: "large", body: "see below", attachments, junk: "" });
  const envelope = { mailFrom: "app@example.com", rcptTo: ["ann@x.test"] };
  return recordEmail(id, { raw, envelope, session: null }, readEmail(raw, defaultLimits));
}

/** Up to three servers with their content. */
export const contents: fc.Arbitrary<Content> = fc
  .record({
    drafts: fc.array(drafts, { maxLength: 20 }),
    names: fc.array(texts, { minLength: 3, maxLength: 3 }),
    phrases: fc.option(fc.array(texts, { maxLength: 3 })),
    zone: fc.option(texts),
    ageSecondsMax: fc.option(fc.integer({ min: 86_400 * 365 * 20, max: 2 ** 31 - 1 })),
    retired: fc.nat(),
  })
  .map(({ drafts, names, phrases, zone, ageSecondsMax, retired }) => {
    const servers = names.map((name, at) => ({
      id: newServerId(),
      name: `S${name}`,
      password: `p${name}`,
      createdAt: epochMs + at,
      expiresAt: at === 2 ? epochMs + 1e12 : null,
      users: at === 1 ? names : [],
      retention: { ageSecondsMax, messageCountMax: at === 0 ? 100_000 : null },
      retired,
      isProtected: at === 1,
      zone: at === 0 ? zone : null,
    }));
    const kept = drafts.map((draft, at) => {
      const direction: Direction = draft.isSent ? "Sent" : "Received";
      const server = servers[draft.server]?.id as ServerId;
      const id = encodeMessageId({
        server,
        direction,
        receivedAt: epochMs - at * 7_000_000,
        random: at * 1024 + (at % 7),
      });
      const message = messageOf(id, draft);
      const scan = { kind: "scan", json: JSON.stringify({ body: draft.body }) } as const;
      const marks = { flags: ["seen"], tags: [`tag ${at % 3}`], hiddenFrom: ["password"] } as const;
      const companions = {
        ...(draft.attachments.length === 2 && { annotations: [scan] }),
        ...(at % 2 === 0 && { marks }),
      };
      return { draft, message: { ...message, ...companions } };
    });
    const entries = kept.flatMap(({ draft: { isSent, status }, message: { id } }) =>
      isSent && status !== "none" ? [entryOf(id, status)] : [],
    );
    return { servers, messages: kept.map(({ message }) => message), entries, phrases, names };
  });

function entryOf(message: MessageId, status: "Sent" | "Failed"): NewOutboxEntry {
  const lastError = status === "Failed" ? "550 5.1.1 no ü" : null;
  const mail = { route: "relay", mailFrom: "app@example.com", rcptTo: ["ann@x.test"], content: null } as const;
  return { id: randomUUID(), message, ...mail, status, attempts: 3, lastError, at: epochMs + 5 };
}

/** Stores an inactive owner, and a team with limits, a server and keys. */
async function addPeople(store: Store, server = "" as ServerId): Promise<void> {
  const { people } = store;
  const [user, team] = [randomUUID(), randomUUID()];
  const identity = { issuer: "https://id.example", subject: user, externalId: "x1", lastSeenAt: epochMs };
  const names = { userName: "ana", email: "Ana@corp.example", name: "Ána" };
  await people.addUser({ id: user, ...names, ...identity, isOwner: true, isActive: false, createdAt: epochMs });
  await people.addTeam({ id: team, name: "Payments ✓", externalId: null, role: "viewer", createdAt: epochMs });
  await store.teamLimits.putTeamLimits(team, { ...noTeamLimits, bytesMax: 1e12, emailsPerDayMax: 1e6 });
  await people.changeMemberships({ put: [{ user, team, role: "manager", source: "scim" }] });
  await store.updateServer(server, { team });
  for (const owner of [{ kind: "user", id: user } as const, { kind: "team", id: team } as const]) {
    const hash = `hmac:00000000:${createHash("sha256").update(owner.id).digest("hex")}`;
    await store.addKey({
      ...freshKey,
      id: randomUUID(),
      name: owner.kind,
      hash,
      server: null,
      createdAt: epochMs,
      owner,
    });
  }
}

/** Stores the content, and at least one record of each account-level kind. */
export async function fill(store: Store, { servers, messages, entries, phrases, names }: Content): Promise<void> {
  for (const { zone, ...server } of servers) {
    await store.createServer(server);
    if (zone === null) continue;
    await store.putZone(server.id, zone);
    await store.scanners.setScanner(server.id, '{"profile":"custom","renders":true}');
  }
  // Before the messages: imports count them for the team that owns their server.
  await addPeople(store, ...servers.slice(0, 1).map(({ id }) => id));
  for (const message of messages) {
    await store.addMessages([message], { entries: entries.filter((entry) => entry.message === message.id) });
  }
  // Usage counters are kept when messages are deleted.
  const doomed = messages[0];
  if (doomed !== undefined) {
    await store.deleteMessage(doomed.id);
  }
  if (phrases !== null) await store.phrases.setPhrases(phrases);
  await addObject(store, null, "account");
  for (const [at, name] of names.entries()) {
    const hash = createHash("sha256").update(randomUUID()).digest("hex");
    const server = servers[at]?.id as ServerId;
    const sealed = Uint8Array.of(0, 255, at);
    await store.addKey({
      ...freshKey,
      id: randomUUID(),
      name,
      hash: `hmac:00000000:${hash}`,
      server: at === 0 ? null : server,
      createdAt: epochMs + at,
    });
    await store.addDevice({ id: randomUUID(), name, sealedSecret: sealed, createdAt: epochMs + at });
    const number = { id: randomUUID(), number: `+44770090000${at}`, server, provider: "twilio" as const };
    const sealedSecrets = at === 0 ? null : sealed;
    const webhook = at === 1 ? "https://app.example/sms" : null;
    await store.phoneNumbers.addPhoneNumber({ ...number, sealedSecrets, webhook, createdAt: epochMs });
    const address = { id: randomUUID(), address: `Ann${at}@corp.example`, createdAt: epochMs } as const;
    const verified =
      at === 0 ? ({ status: "Pending", tokenHash: hash } as const) : ({ status: "Verified", tokenHash: null } as const);
    await store.verifiedAddresses.addVerifiedAddress({ ...address, ...verified });
    await addObject(store, server, name);
  }
}

async function addObject(store: Store, server: ServerId | null, name: string): Promise<void> {
  const object = { provider: "acme", server, kind: "template", id: `t-${String(server)}` };
  const change = { json: JSON.stringify({ name }), expiresAt: null, version: null, now: epochMs, countMax: 10 };
  await store.providerObjects.putObject({ ...object, ...change });
}

const hex = (bytes: Uint8Array | null | undefined): string | null =>
  bytes === undefined || bytes === null ? null : Buffer.from(bytes).toString("hex");

const criteria = [
  { sentTo: foldAddress("ann@x.test") },
  { sentTo: foldAddress("hidden@x.test") },
  { sentTo: foldAddress("+447700900002") },
  { sentFrom: foldAddress("app@example.com") },
  { sentFrom: foldAddress("Ü@x.test") },
  { subject: foldText("code") },
  { subject: foldText("確認") },
  { body: foldText("482913") },
  { body: foldText("ß") },
  { body: foldText("<p>") },
  { provider: "acme" },
  { providerId: "acme-1", tag: "welcome" },
];

/** Returns everything readable through the store's contract, except change numbers, which restart, UIDVALIDITYs, and instants of traffic. */
export async function tellAll(store: Store): Promise<unknown> {
  const servers = await store.listServers();
  const told = [];
  for (const { uidValidity: _uidValidity, trafficAt: _trafficAt, ...server } of servers) {
    const password = await store.getServerPassword(server.id);
    const messages = [await tellMessages(store, server.id, "Received"), await tellMessages(store, server.id, "Sent")];
    told.push({
      server,
      password,
      zone: await store.getZone(server.id),
      scanner: await store.scanners.findScanner(server.id),
      messages,
    });
  }
  return {
    told,
    keys: await store.listKeys(),
    devices: (await store.listDevices()).map((one) => ({ ...one, sealedSecret: hex(one.sealedSecret) })),
    numbers: (await store.phoneNumbers.listPhoneNumbers()).map((one) => ({
      ...one,
      sealedSecrets: hex(one.sealedSecrets),
    })),
    addresses: await store.verifiedAddresses.listVerifiedAddresses(),
    phrases: await store.phrases.getPhrases(),
    objects: await store.providerObjects.walkObjects(null, 100),
    usage: await store.listTeamUsage(0),
    teamLimits: [...(await store.teamLimits.listTeamLimits())],
    people: [await store.people.listUsers(), await store.people.listTeams(), await store.people.listMemberships()],
  };
}

/** Messages with a code, also SMS, and with one of these codes. */
const expressions: readonly SearchExpression[] = [
  { kind: "present", part: "code" },
  { kind: "part", part: "code", term: "482913" },
];

async function tellMessages(store: Store, server: ServerId, direction: Direction): Promise<unknown> {
  const page = { page: 0, itemsPerPage: 1000, receivedAfter: null, direction, afterSequence: null };
  const { json, count, total } = await store.listMessages(server, page);
  const summaries = JSON.parse(`[${Buffer.from(json).toString()}]`) as readonly { readonly id: MessageId }[];
  const messages = [];
  for (const { id } of summaries) {
    const owner = await store.findMessageOfAttachment(attachmentIdAt(id, 2));
    const delivery = await store.outbox.getDelivery(id);
    const content = { detail: hex(await store.getDetail(id)), raw: hex(await store.getRaw(id)) };
    const scan = await store.annotations.getAnnotation(id, "scan");
    const { marks, hiddenFrom } = (await store.marks.readMarks(server, [id]))[0] ?? {};
    messages.push({ id, ...content, scan, marks, hiddenFrom, owner, delivery });
  }
  const found = [];
  for (const wanted of criteria) {
    found.push(hex((await store.searchMessages(server, criteriaExpression({ ...wanted, match: "ALL" }), page)).json));
  }
  for (const expression of expressions) {
    found.push((await store.findMessages(server, expression, page)).identities.map(({ id }) => id));
  }
  return { json: hex(json), count, total, messages, found };
}
