/** Lines of an export: one JSON object each, distinguished by `kind`, in the order of this file. */
import { keyScopes } from "../core/api-key.ts";
import { type MessageId, parseMessageId, parseServerId, type ServerId } from "../core/ids.ts";
import { int32Max } from "../core/limits.ts";
import { isNetwork } from "../core/ip-address.ts";
import { membershipSources, roles } from "../core/people.ts";
import { readerDeletions } from "../core/server.ts";
import * as shape from "./shape.ts";
import type { Shape, ShapeValue } from "./shape.ts";
import { annotationShape, detailShape, marksShape, scannerSettingsShape, summaryShape } from "./stored-shapes.ts";
import { smsProviders } from "../providers/registry.ts";

/** Value of `format` in the header. */
export const formatName = "restante-export";
/** Version of the format that is written, and the newest one that is read. */
export const formatVersion = 1;

/** Greatest value that leaves many for later imports: IMAP has 32 bits, and values are seconds since the Unix epoch. */
const uidValidityMax = 2 ** 32 - 2 ** 28;
const id = shape.shortText(200);
const name = shape.shortText(1000);
/** The encrypted form of 1000 characters has at most 4046. */
const passwordLengthMax = 4096;
const sha256 = shape.textLike(/^[0-9a-f]{64}$/, "a SHA-256 in lower-case hex");
const instant = shape.amount;
const limit = shape.nullable(shape.count);
const keyHash = shape.textLike(/^hmac:[0-9a-f]{8}:[0-9a-f]{64}$/, "the hash of a key");
const network: Shape<string> = (value, at) =>
  isNetwork(shape.text(value, at)) ? (value as string) : shape.refuse(at, "must be an address or a network");

const serverId: Shape<ServerId> = (value, at) =>
  parseServerId(shape.text(value, at)) === value ? (value as ServerId) : shape.refuse(at, "must be a server's id");
const messageId: Shape<MessageId> = (value, at) =>
  parseMessageId(shape.text(value, at)) === value ? (value as MessageId) : shape.refuse(at, "must be a message's id");
const phoneNumber = shape.textLike(/^\+[1-9]\d{6,14}$/, "a phone number in E.164");
const kind = <Kind extends string>(one: Kind): Shape<Kind> => shape.oneOf([one]);

/** Shape of the header. */
export const headerShape = shape.record({
  kind: kind("header"),
  format: kind(formatName),
  version: shape.count,
  // Program and version that wrote the export.
  writtenBy: shape.text,
  // ISO 8601 in UTC.
  writtenAt: shape.text,
  // Exported servers; null for all servers and the account.
  servers: shape.nullable(shape.list(serverId)),
});

/** First line of an export. */
export type HeaderLine = ShapeValue<typeof headerShape>;

const endedShape = shape.record({
  status: shape.oneOf(["Sent", "Failed"]),
  attempts: shape.countUpTo(int32Max),
  lastError: shape.nullable(shape.text),
  updatedAt: instant,
});

/** Outcome of the delivery of a sent message. */
export type EndedDelivery = ShapeValue<typeof endedShape>;

/** Shapes of the other lines by kind. */
export const bodyShapes = {
  user: shape.record({
    kind: kind("user"),
    id,
    userName: name,
    email: name,
    name: shape.text,
    issuer: shape.nullable(name),
    subject: shape.nullable(name),
    externalId: shape.nullable(name),
    isOwner: shape.flag,
    isActive: shape.flag,
    createdAt: instant,
    lastSeenAt: shape.nullable(instant),
  }),
  team: shape.record({
    kind: kind("team"),
    id,
    name,
    externalId: shape.nullable(name),
    role: shape.oneOf(roles),
    createdAt: instant,
    limits: shape.record({
      messagesMax: limit,
      bytesMax: limit,
      ageSecondsMax: limit,
      emailsPerDayMax: limit,
      smsPerDayMax: limit,
      outboundPerHourMax: limit,
    }),
  }),
  membership: shape.record({
    kind: kind("membership"),
    user: id,
    team: id,
    role: shape.oneOf(roles),
    source: shape.oneOf(membershipSources),
  }),
  server: shape.record({
    kind: kind("server"),
    id: serverId,
    name,
    // Encrypted as in the store.
    password: shape.shortText(passwordLengthMax),
    users: shape.list(shape.text),
    retention: shape.record({
      ageSecondsMax: shape.nullable(shape.count),
      messageCountMax: shape.nullable(shape.count),
    }),
    quota: shape.record({ messages: shape.nullable(shape.count), bytes: shape.nullable(shape.count) }),
    readerDeletion: shape.oneOf(readerDeletions),
    retired: shape.count,
    createdAt: instant,
    // Of its mailboxes in IMAP.
    uidValidity: shape.countUpTo(uidValidityMax),
    expiresAt: shape.nullable(instant),
    isProtected: shape.flag,
    // Absent in exports of some servers, as owners of keys.
    team: shape.optional(shape.nullable(id)),
    // DNS zone file.
    zone: shape.nullable(shape.text),
    // Settings of the link scanner as JSON; absent without one.
    scanner: shape.optional(scannerSettingsShape),
  }),
  key: shape.record({
    kind: kind("key"),
    id,
    name: shape.text,
    hash: keyHash,
    server: shape.nullable(serverId),
    createdAt: instant,
    scope: shape.oneOf(keyScopes),
    expiresAt: shape.nullable(instant),
    requestsPerMinute: shape.nullable(shape.countUpTo(int32Max)),
    networks: shape.list(network),
    lastUsedAt: shape.nullable(instant),
    former: shape.nullable(shape.record({ hash: keyHash, until: instant })),
    owner: shape.optional(shape.nullable(shape.record({ kind: shape.oneOf(["user", "team"]), id }))),
  }),
  number: shape.record({
    kind: kind("number"),
    id,
    number: phoneNumber,
    server: serverId,
    provider: shape.oneOf(smsProviders.map(({ name }) => name)),
    sealedSecrets: shape.nullable(shape.bytes),
    webhook: shape.nullable(shape.text),
    createdAt: instant,
  }),
  device: shape.record({
    kind: kind("device"),
    id,
    name: shape.text,
    sealedSecret: shape.bytes,
    createdAt: instant,
  }),
  address: shape.record({
    kind: kind("address"),
    id,
    address: name,
    status: shape.oneOf(["Pending", "Verified"]),
    tokenHash: shape.nullable(sha256),
    createdAt: instant,
  }),
  phrases: shape.record({ kind: kind("phrases"), phrases: shape.list(shape.text) }),
  // Object of a provider's API that does not expire; of the account where the server is null.
  object: shape.record({
    kind: kind("object"),
    provider: id,
    server: shape.nullable(serverId),
    objectKind: id,
    id,
    json: shape.json,
    createdAt: instant,
  }),
  message: shape.record({
    kind: kind("message"),
    id: messageId,
    summary: summaryShape,
    detail: detailShape,
    // Base64; empty for an SMS.
    raw: shape.bytes,
    // Absent for received messages and pending deliveries.
    delivery: shape.optional(endedShape),
    // Absent for messages without annotations, or that were never marked.
    annotations: shape.optional(shape.list(annotationShape)),
    marks: shape.optional(marksShape),
  }),
  usage: shape.record({
    kind: kind("usage"),
    days: shape.list(
      shape.record({
        day: shape.countUpTo(int32Max),
        team: shape.nullable(id),
        email: shape.count,
        sms: shape.count,
        bytes: shape.count,
        outbound: shape.count,
      }),
    ),
  }),
  // Numbers of lines and messages before this one, which shows that the export is complete, and the SHA-256 of all their bytes.
  end: shape.record({ kind: kind("end"), lines: shape.count, messages: shape.count, sha256 }),
};

/** Any line except the header. */
export type BodyLine = ShapeValue<(typeof bodyShapes)[keyof typeof bodyShapes]>;

/** Line of a kind. */
export type LineOf<Kind extends BodyLine["kind"]> = Extract<BodyLine, { readonly kind: Kind }>;

/** Returns a line if it has the shape of its kind; throws `ShapeError` otherwise. */
export function readBodyLine(value: unknown): BodyLine {
  const given = (value as { readonly kind?: unknown } | null)?.kind;
  const read =
    typeof given === "string" && Object.hasOwn(bodyShapes, given)
      ? (bodyShapes[given as BodyLine["kind"]] as Shape<BodyLine>)
      : undefined;
  if (read === undefined) return shape.refuse("kind", `must be one of ${Object.keys(bodyShapes).join(", ")}`);
  return read(value, "");
}
