import type { Page } from "../../../core/criteria.ts";
import { encodeIdBytes, idToBytes } from "../../../core/ids.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";

/** Range of ids, both ends included, as the sixteen bytes that columns hold. */
export interface IdRange {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

const receivedAtMax = 2 ** 47 - 1;
const randomMax = 0xffffffff;

/** Returns the ids that could own the given one: `messageRangeOf` of core, on bytes. */
export function neighbours(id: Uint8Array): IdRange {
  const first = id.slice();
  const last = id.slice();
  first[14] = (first[14] ?? 0) & 0xfc;
  first[15] = 0;
  last[14] = (last[14] ?? 0) | 0x03;
  last[15] = 0xff;
  return { first, last };
}

/** Returns the ids of one server and direction received at or after an instant, in whole milliseconds. */
export function idsSince(server: ServerId, direction: Direction, receivedAt: number): IdRange {
  const from = Math.min(Math.max(0, receivedAt), receivedAtMax);
  return {
    first: encodeIdBytes({ server, direction, receivedAt: from, random: 0 }),
    last: encodeIdBytes({ server, direction, receivedAt: receivedAtMax, random: randomMax }),
  };
}

/**
 * Returns the ids of one server that a page may hold: of its direction, received strictly after `receivedAfter`, which may
 * have fractions of a millisecond, and older than `before`. Undefined when that range is empty.
 */
export function idsWithin(
  server: ServerId,
  { direction, receivedAfter, before }: Pick<Page, "direction" | "receivedAfter" | "before">,
): IdRange | undefined {
  const from = receivedAfter === null ? 0 : Math.floor(receivedAfter) + 1;
  if (from > receivedAtMax) return undefined;
  const range = idsSince(server, direction, from);
  if (before === undefined) return range;
  const bound = idToBytes(before);
  return Buffer.compare(bound, range.last) > 0 ? range : (below(range, bound) ?? undefined);
}

/** Returns the part of a range below an id; null when that is empty. */
export function below(range: IdRange, id: Uint8Array): IdRange | null {
  const last = id.slice();
  for (let index = last.length - 1; index >= 0; index -= 1) {
    const byte = last[index] ?? 0;
    last[index] = byte === 0 ? 0xff : byte - 1;
    if (byte > 0) break;
  }
  return Buffer.compare(last, range.first) < 0 ? null : { first: range.first, last };
}
