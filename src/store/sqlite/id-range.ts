import { encodeMessageId, idToBytes } from "../../core/ids.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";

/** Ids from `first` to `last`, both included, as the sixteen bytes that columns hold. */
export interface IdRange {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

const receivedAtMax = 2 ** 47 - 1;
const randomMax = 0xffffffff;

/** Every id that could own the given one: what `messageRangeOf` of core says, on bytes. */
export function neighbours(id: Uint8Array): IdRange {
  const first = id.slice();
  const last = id.slice();
  first[14] = (first[14] ?? 0) & 0xfc;
  first[15] = 0;
  last[14] = (last[14] ?? 0) | 0x03;
  last[15] = 0xff;
  return { first, last };
}

/** Ids of one server and direction received at or after an instant, in whole milliseconds. */
export function idsSince(server: ServerId, direction: Direction, receivedAt: number): IdRange {
  const from = Math.min(Math.max(0, receivedAt), receivedAtMax);
  return {
    first: idToBytes(encodeMessageId({ server, direction, receivedAt: from, random: 0 })),
    last: idToBytes(encodeMessageId({ server, direction, receivedAt: receivedAtMax, random: randomMax })),
  };
}

/**
 * Ids of one server and direction received strictly after an instant that may carry fractions of a millisecond;
 * undefined when no id can be that late.
 */
export function idsAfter(server: ServerId, direction: Direction, instant: number | null): IdRange | undefined {
  if (instant === null) return idsSince(server, direction, 0);
  const receivedAt = Math.floor(instant) + 1;
  return receivedAt > receivedAtMax ? undefined : idsSince(server, direction, receivedAt);
}
