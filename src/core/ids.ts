/**
 * Identifiers of servers, messages and attachments.
 *
 * A message id is an RFC 9562 §5.8 UUID (version 8) whose 122 free bits carry, in this order: server (42 bits: eight
 * characters of `[a-z0-9]`), direction (1), milliseconds (47), random (32). Ids of one server and direction therefore
 * sort by time, and the id contains its server. The groups of digits between the hyphens have 32 and 16
 * bits, version and 12 bits, variant and 14 bits, 16 and 32 bits; all arithmetic stays below 2⁵³.
 */
import { randomInt } from "node:crypto";
import type { Direction } from "./message.ts";

/** Eight characters of `[a-z0-9]`; also the first label of the server's mail domain. */
export type ServerId = string & { readonly __brand: "ServerId" };
/** Lower-case UUID of a message. */
export type MessageId = string & { readonly __brand: "MessageId" };
/** Lower-case UUID of an attachment; derived from its message's id and its position. */
export type AttachmentId = string & { readonly __brand: "AttachmentId" };

/** Content of a message id. `receivedAt` is in milliseconds since the Unix epoch. */
export interface MessageIdParts {
  readonly server: ServerId;
  readonly direction: Direction;
  readonly receivedAt: number;
  /** 32 bits, unsigned. */
  readonly random: number;
}

/** Number of attachment ids per message id: they differ in the ten lowest bits only. */
export const attachmentsPerMessageMax = 1023;

const serverIdPattern = /^[a-z0-9]{8}$/;
const uuidV8Pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
const slotMask = 0x3ff;
const clockStepBackMsMax = 1000;

/** Parses a server id in any letter case (domains are case-insensitive); undefined when it is malformed. */
export function parseServerId(text: string): ServerId | undefined {
  const lower = text.toLowerCase();
  return serverIdPattern.test(lower) ? (lower as ServerId) : undefined;
}

/** Returns a random server id. It starts with a letter, so that it is also a host name label. */
export function newServerId(): ServerId {
  let id = alphabet.charAt(randomInt(10, 36));
  while (id.length < 8) id += alphabet.charAt(randomInt(36));
  return id as ServerId;
}

/** Parses a message id in any letter case; undefined when it is malformed. */
export function parseMessageId(text: string): MessageId | undefined {
  return parseUuidV8(text) as MessageId | undefined;
}

/** Parses an attachment id in any letter case; undefined when it is malformed. */
export function parseAttachmentId(text: string): AttachmentId | undefined {
  return parseUuidV8(text) as AttachmentId | undefined;
}

/** Encodes a message id. */
export function encodeMessageId(parts: MessageIdParts): MessageId {
  return idFromBytes(encodeIdBytes(parts));
}

/** Encodes a message id as its sixteen bytes. */
export function encodeIdBytes({ server, direction, receivedAt, random }: MessageIdParts): Uint8Array {
  const first = Number.parseInt(server, 36) * 64 + (direction === "Sent" ? 32 : 0) + Math.floor(receivedAt / 2 ** 42);
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, first / 2 ** 16);
  view.setUint16(4, first % 2 ** 16);
  view.setUint16(6, 0x8000 + (Math.floor(receivedAt / 2 ** 30) % 2 ** 12));
  view.setUint32(8, 0x8000_0000 + (receivedAt % 2 ** 30));
  view.setUint32(12, random);
  return bytes;
}

/** Decodes the id of a message or an attachment. */
export function decodeMessageId(id: MessageId | AttachmentId): MessageIdParts {
  const first = unhex(id, 0, 8) * 2 ** 16 + unhex(id, 9, 13);
  const last = (unhex(id, 19, 23) & 0x3fff) * 2 ** 16 + unhex(id, 24, 28);
  return {
    server: Math.floor(first / 64)
      .toString(36)
      .padStart(8, "0") as ServerId,
    direction: first % 64 >= 32 ? "Sent" : "Received",
    receivedAt: (first % 32) * 2 ** 42 + unhex(id, 15, 18) * 2 ** 30 + last,
    random: unhex(id, 28, 36),
  };
}

/**
 * Returns the id of the attachment at `position` (0-based, below {@link attachmentsPerMessageMax}): the message's id with
 * its ten lowest bits advanced, so that no message and attachment share an id.
 */
export function attachmentIdAt(message: MessageId, position: number): AttachmentId {
  const parts = decodeMessageId(message);
  const slot = (parts.random + position + 1) & slotMask;
  return encodeMessageId({ ...parts, random: withSlot(parts.random, slot) }) as string as AttachmentId;
}

/** Returns the position of `attachment` within `message`, which {@link messageRangeOf} must contain. */
export function attachmentPosition(message: MessageId, attachment: AttachmentId): number {
  return ((decodeMessageId(attachment).random - decodeMessageId(message).random - 1) & slotMask) >>> 0;
}

/** Returns the first and last message id that can own `id`; the store contains at most one message in this range. */
export function messageRangeOf(id: AttachmentId | MessageId): { first: MessageId; last: MessageId } {
  const parts = decodeMessageId(id);
  return {
    first: encodeMessageId({ ...parts, random: withSlot(parts.random, 0) }),
    last: encodeMessageId({ ...parts, random: withSlot(parts.random, slotMask) }),
  };
}

/** Returns the sixteen bytes of an id, which sort as its text does. */
export function idToBytes(id: MessageId | AttachmentId): Uint8Array {
  return new Uint8Array(Buffer.from(id.replaceAll("-", ""), "hex"));
}

/** Returns the id with these sixteen bytes. */
export function idFromBytes(bytes: Uint8Array): MessageId {
  return hyphenate(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")) as MessageId;
}

/** Source of message ids; `receivedAt` of the result is the instant to store and show. */
export interface IdSource {
  next(server: ServerId, direction: Direction): { id: MessageId; receivedAt: number };
}

/**
 * Creates a source of ascending ids: within one millisecond the random part grows by more than the ids that attachments
 * need; on overflow the next millisecond is used. While a clock is up to one second behind the last id, ids keep the last
 * millisecond; a larger step back is followed.
 */
export function createIdSource(now: () => number): IdSource {
  let lastMs = -1;
  let lastRandom = 0;
  return {
    next(server, direction) {
      const ms = Math.max(0, Math.floor(now()));
      const follows = ms <= lastMs && ms >= lastMs - clockStepBackMsMax;
      const random = follows ? lastRandom + slotMask + 1 + randomInt(1 << 20) : randomInt(2 ** 31);
      const overflows = random > 0xffffffff;
      lastMs = overflows ? lastMs + 1 : follows ? lastMs : ms;
      lastRandom = overflows ? randomInt(2 ** 31) : random;
      return { id: encodeMessageId({ server, direction, receivedAt: lastMs, random: lastRandom }), receivedAt: lastMs };
    },
  };
}

function parseUuidV8(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (!uuidV8Pattern.test(lower)) return undefined;
  const server = Math.floor((unhex(lower, 0, 8) * 2 ** 16 + unhex(lower, 9, 13)) / 64);
  return server < 36 ** 8 ? lower : undefined;
}

function withSlot(random: number, slot: number): number {
  return ((random & ~slotMask) | slot) >>> 0;
}

function unhex(text: string, start: number, end: number): number {
  return Number.parseInt(text.slice(start, end), 16);
}

function hyphenate(all: string): string {
  return `${all.slice(0, 8)}-${all.slice(8, 12)}-${all.slice(12, 16)}-${all.slice(16, 20)}-${all.slice(20)}`;
}
