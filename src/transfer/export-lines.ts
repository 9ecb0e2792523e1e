/** Lines of an export: one JSON object each, distinguished by `kind`, in the order of this file. */
import { type ApiKey, type FormerSecret, keyScopes } from "../core/api-key.ts";
import type { DeliveryStatus } from "../core/delivery.ts";
import { type MessageId, parseMessageId, parseServerId, type ServerId } from "../core/ids.ts";
import { int32Max } from "../core/limits.ts";
import type { StoredMarks } from "../core/marks.ts";
import { isNetwork } from "../core/networks.ts";
import type { Summary } from "../core/message.ts";
import { readerDeletions } from "../core/server.ts";
import type { DayUsage, ReaderDeletion, Retention, ServerQuota } from "../core/server.ts";
import type { VerifiedAddress } from "../core/verified-address.ts";
import type { StoredDetail } from "../operations/services/reading/stored-detail.ts";
import type { Annotation } from "../store/annotation-store.ts";
import * as shape from "./shape.ts";
import type { Shape } from "./shape.ts";
import { annotationShape, detailShape, marksShape, scannerSettingsShape, summaryShape } from "./stored-shapes.ts";
import { smsProviders } from "../providers/registry.ts";

/** Value of `format` in the header. */
export const formatName = "restante-export";
/** Version of the format that is written, and the newest one that is read. */
export const formatVersion = 1;

/** First line of an export. */
export interface HeaderLine {
  readonly kind: "header";
  readonly format: typeof formatName;
  readonly version: number;
  /** Program and version that wrote the export. */
  readonly writtenBy: string;
  /** ISO 8601 in UTC. */
  readonly writtenAt: string;
  /** Exported servers; null for all servers and the account. */
  readonly servers: readonly ServerId[] | null;
}

/** Server without its messages. */
export interface ServerLine {
  readonly kind: "server";
  readonly id: ServerId;
  readonly name: string;
  /** Encrypted as in the store. */
  readonly password: string;
  readonly users: readonly string[];
  readonly retention: Retention;
  readonly quota: ServerQuota;
  readonly readerDeletion: ReaderDeletion;
  readonly retired: number;
  readonly createdAt: number;
  /** Of its mailboxes in IMAP. */
  readonly uidValidity: number;
  readonly expiresAt: number | null;
  /** DNS zone file. */
  readonly zone: string | null;
  /** Settings of the link scanner as JSON; absent without one. */
  readonly scanner?: string;
}

/** API key as its hash. */
export interface KeyLine extends ApiKey {
  readonly kind: "key";
}

/** Phone number. */
export interface NumberLine {
  readonly kind: "number";
  readonly id: string;
  readonly number: string;
  readonly server: ServerId;
  readonly provider: string;
  /** Base64. */
  readonly sealedSecrets: string | null;
  readonly webhook: string | null;
  readonly createdAt: number;
}

/** Device (TOTP authenticator). */
export interface DeviceLine {
  readonly kind: "device";
  readonly id: string;
  readonly name: string;
  /** Base64. */
  readonly sealedSecret: string;
  readonly createdAt: number;
}

/** Verified or pending address. */
export interface AddressLine extends VerifiedAddress {
  readonly kind: "address";
}

/** Approved phrases of SMS replies. */
export interface PhrasesLine {
  readonly kind: "phrases";
  readonly phrases: readonly string[];
}

/** Object of a provider's API that does not expire. */
export interface ObjectLine {
  readonly kind: "object";
  readonly provider: string;
  /** Null: the account. */
  readonly server: ServerId | null;
  /** Kind of the object. */
  readonly objectKind: string;
  readonly id: string;
  readonly json: string;
  readonly createdAt: number;
}

/** Message. */
export interface MessageLine {
  readonly kind: "message";
  readonly id: MessageId;
  readonly summary: Summary;
  readonly detail: StoredDetail;
  /** Raw mail in Base64; empty for an SMS. */
  readonly raw: string;
  /** Outcome of its delivery; absent for received messages and pending deliveries. */
  readonly delivery?: EndedDelivery;
  /** Absent for messages without annotations. */
  readonly annotations?: readonly Annotation[];
  /** Absent for messages that were never marked. */
  readonly marks?: StoredMarks;
}

/** Outcome of the delivery of a sent message. */
export interface EndedDelivery {
  readonly status: Exclude<DeliveryStatus, "Queued">;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly updatedAt: number;
}

/** Usage by day. */
export interface UsageLine {
  readonly kind: "usage";
  readonly days: readonly DayUsage[];
}

/** Last line, which shows that the export is complete. */
export interface EndLine {
  readonly kind: "end";
  /** Number of lines before this one. */
  readonly lines: number;
  readonly messages: number;
  /** SHA-256 of all bytes before this line, in lower-case hex. */
  readonly sha256: string;
}

/** Any line except the header. */
export type BodyLine =
  | ServerLine
  | KeyLine
  | NumberLine
  | DeviceLine
  | AddressLine
  | PhrasesLine
  | ObjectLine
  | MessageLine
  | UsageLine
  | EndLine;

/** Greatest value that leaves many for later imports: IMAP has 32 bits, and values are seconds since the Unix epoch. */
const uidValidityMax = 2 ** 32 - 2 ** 28;
const id = shape.shortText(200);
const name = shape.shortText(1000);
/** The encrypted form of 1000 characters has at most 4046. */
const passwordLengthMax = 4096;
const sha256 = shape.textLike(/^[0-9a-f]{64}$/, "a SHA-256 in lower-case hex");
const instant = shape.amount;
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
export const headerShape: Shape<HeaderLine> = shape.record<HeaderLine>({
  kind: kind("header"),
  format: kind(formatName),
  version: shape.count,
  writtenBy: shape.text,
  writtenAt: shape.text,
  servers: shape.nullable(shape.list(serverId)),
});

/** Shapes of the other lines by kind. */
export const bodyShapes: { readonly [Kind in BodyLine["kind"]]: Shape<Extract<BodyLine, { readonly kind: Kind }>> } = {
  server: shape.record<ServerLine>({
    kind: kind("server"),
    id: serverId,
    name,
    password: shape.shortText(passwordLengthMax),
    users: shape.list(shape.text),
    retention: shape.record<Retention>({
      ageSecondsMax: shape.nullable(shape.count),
      messageCountMax: shape.nullable(shape.count),
    }),
    quota: shape.record<ServerQuota>({ messages: shape.nullable(shape.count), bytes: shape.nullable(shape.count) }),
    readerDeletion: shape.oneOf(readerDeletions),
    retired: shape.count,
    createdAt: instant,
    uidValidity: shape.countUpTo(uidValidityMax),
    expiresAt: shape.nullable(instant),
    zone: shape.nullable(shape.text),
    scanner: shape.optional(scannerSettingsShape),
  }),
  key: shape.record<KeyLine>({
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
    former: shape.nullable(shape.record<FormerSecret>({ hash: keyHash, until: instant })),
  }),
  number: shape.record<NumberLine>({
    kind: kind("number"),
    id,
    number: phoneNumber,
    server: serverId,
    provider: shape.oneOf(smsProviders.map(({ name }) => name)),
    sealedSecrets: shape.nullable(shape.bytes),
    webhook: shape.nullable(shape.text),
    createdAt: instant,
  }),
  device: shape.record<DeviceLine>({
    kind: kind("device"),
    id,
    name: shape.text,
    sealedSecret: shape.bytes,
    createdAt: instant,
  }),
  address: shape.record<AddressLine>({
    kind: kind("address"),
    id,
    address: name,
    status: shape.oneOf(["Pending", "Verified"]),
    tokenHash: shape.nullable(sha256),
    createdAt: instant,
  }),
  phrases: shape.record<PhrasesLine>({ kind: kind("phrases"), phrases: shape.list(shape.text) }),
  object: shape.record<ObjectLine>({
    kind: kind("object"),
    provider: id,
    server: shape.nullable(serverId),
    objectKind: id,
    id,
    json: shape.json,
    createdAt: instant,
  }),
  message: shape.record<MessageLine>({
    kind: kind("message"),
    id: messageId,
    summary: summaryShape,
    detail: detailShape,
    raw: shape.bytes,
    delivery: shape.optional(
      shape.record<EndedDelivery>({
        status: shape.oneOf(["Sent", "Failed"]),
        attempts: shape.countUpTo(int32Max),
        lastError: shape.nullable(shape.text),
        updatedAt: instant,
      }),
    ),
    annotations: shape.optional(shape.list(annotationShape)),
    marks: shape.optional(marksShape),
  }),
  usage: shape.record<UsageLine>({
    kind: kind("usage"),
    days: shape.list(shape.record<DayUsage>({ day: shape.countUpTo(int32Max), email: shape.count, sms: shape.count })),
  }),
  end: shape.record<EndLine>({ kind: kind("end"), lines: shape.count, messages: shape.count, sha256 }),
};

/** Returns a line if it has the shape of its kind; throws `ShapeError` otherwise. */
export function readBodyLine(value: unknown): BodyLine {
  const given = (value as { readonly kind?: unknown } | null)?.kind;
  const read =
    typeof given === "string" && Object.hasOwn(bodyShapes, given) ? bodyShapes[given as BodyLine["kind"]] : undefined;
  if (read === undefined) return shape.refuse("kind", `must be one of ${Object.keys(bodyShapes).join(", ")}`);
  return read(value, "");
}
