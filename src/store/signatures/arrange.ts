import type { IdRange } from "../page-bounds.ts";

/** Length of an id in bytes. */
export const idBytes = 16;

/** Message to be added to a segment; without an id it is omitted. */
export interface Member {
  readonly id: Uint8Array | undefined;
}

/** Ordinals of the members of a segment: received ones first, each direction in the order of ids. */
export interface Arrangement {
  readonly size: number;
  readonly receivedSize: number;
  /** Ordinal of each member, −1 where it is omitted. */
  readonly ordinals: readonly number[];
  /** The ids in the order of the ordinals. */
  readonly ids: Uint8Array;
  readonly received: IdRange | null;
  readonly sent: IdRange | null;
}

/** Byte and bit of an id that hold the direction: bit 42 of those that version and variant leave free. */
const directionByte = 5;
const directionMask = 0x20;

/** Assigns ordinals to members. */
export function arrange(members: readonly Member[]): Arrangement {
  const present = members
    .map(({ id }, place) => ({ id, place }))
    .filter((one): one is { id: Uint8Array; place: number } => one.id !== undefined)
    // Sent ids of a server are greater than its received ones, so this also sorts by direction.
    .sort((a, b) => Buffer.compare(a.id, b.id));
  const ordinals = members.map(() => -1);
  const ids = new Uint8Array(present.length * idBytes);
  for (const [ordinal, { id, place }] of present.entries()) {
    ordinals[place] = ordinal;
    ids.set(id, ordinal * idBytes);
  }
  const firstSent = present.findIndex(({ id }) => isSent(id));
  const receivedSize = firstSent < 0 ? present.length : firstSent;
  const range = (start: number, end: number): IdRange | null => {
    const [first, last] = [present[start]?.id, present[end - 1]?.id];
    return start >= end || first === undefined || last === undefined ? null : { first, last };
  };
  const received = range(0, receivedSize);
  const sent = range(receivedSize, present.length);
  return { size: present.length, receivedSize, ordinals, ids, received, sent };
}

function isSent(id: Uint8Array): boolean {
  return ((id[directionByte] ?? 0) & directionMask) !== 0;
}
