import type { Page } from "../../../core/criteria.ts";
import { idFromBytes, idToBytes, type AttachmentId, type MessageId, type ServerId } from "../../../core/ids.ts";
import { idsWithin, type IdRange } from "../../page-bounds.ts";

const serverIdRadix = 36;
const serverIdLength = 8;

/** Range of slots, as UUIDs. */
export type SlotRange = IdRange<string>;

/** Returns the number of a server in all tables, by which they can be distributed: its id read as base 36. */
export function serverNumberOf(id: ServerId): number {
  return Number.parseInt(id, serverIdRadix);
}

/** Returns the server of a number. */
export function serverIdOf(number: number): ServerId {
  return number.toString(serverIdRadix).padStart(serverIdLength, "0") as ServerId;
}

/**
 * Returns the slot of an id: the id with its ten lowest bits cleared. A message shares it with its attachments and with
 * every id that collides with its own, so that a primary key of slots separates messages as `messageRangeOf` of core
 * demands, and sorts as the ids do.
 */
export function slotOf(id: MessageId | AttachmentId): string {
  const digit = Number.parseInt(id.charAt(33), 16) & 0xc;
  return `${id.slice(0, 33)}${digit.toString(16)}00`;
}

/** Returns the slot of an id as 16 bytes. */
export function slotBytesOf(idBytes: Uint8Array): Uint8Array {
  const slot = idBytes.slice();
  slot[14] = (slot[14] ?? 0) & 0xfc;
  slot[15] = 0;
  return slot;
}

/** Returns the range of slots of a page, as {@link idsWithin} does for ids. */
export function slotsWithin(
  server: ServerId,
  page: Pick<Page, "direction" | "receivedAfter" | "before">,
): SlotRange | undefined {
  const before = page.before === undefined ? {} : { before: slotOf(page.before) as MessageId };
  const range = idsWithin(server, { ...page, ...before });
  return range && { first: idFromBytes(range.first), last: idFromBytes(range.last) };
}

/** Returns the preceding UUID; the first one stays. */
export function predecessor(uuid: string): string {
  const number = numberOf(uuid);
  return number === 0n ? uuid : uuidOf(number - 1n);
}

/** Returns the following UUID; the last one stays. */
export function successor(uuid: string): string {
  const number = numberOf(uuid);
  return number === lastNumber ? uuid : uuidOf(number + 1n);
}

const lastNumber = (1n << 128n) - 1n;

function numberOf(uuid: string): bigint {
  return BigInt(`0x${uuid.replaceAll("-", "")}`);
}

function uuidOf(number: bigint): string {
  const hex = number.toString(16).padStart(32, "0");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Returns the id of a message and its slot as 16 bytes each. */
export function bytesOf(id: MessageId): { readonly id: Uint8Array; readonly slot: Uint8Array } {
  const bytes = idToBytes(id);
  return { id: bytes, slot: slotBytesOf(bytes) };
}
