import { idFromBytes, idToBytes, type MessageId } from "../../core/ids.ts";

const idBytes = 16;
const capacityMin = 64;

/** Message ids with their UIDs, in 20 bytes each. UIDs that were handed out never change: arrays grow, or are copied. */
export class IdentityArrays {
  #uids: Uint32Array;
  #ids: Uint8Array;
  #count = 0;

  constructor(capacity: number = capacityMin) {
    this.#uids = new Uint32Array(Math.max(capacityMin, capacity));
    this.#ids = new Uint8Array(this.#uids.length * idBytes);
  }

  /** UIDs in the order in which they were added. */
  get uids(): Uint32Array {
    return this.#uids.subarray(0, this.#count);
  }

  /** Number of identities. */
  get count(): number {
    return this.#count;
  }

  /** Adds an identity. */
  add(id: Uint8Array, uid: number): void {
    if (this.#count === this.#uids.length) {
      const [uids, ids] = [this.#uids, this.#ids];
      this.#uids = new Uint32Array(this.#count * 2);
      this.#ids = new Uint8Array(this.#count * 2 * idBytes);
      this.#uids.set(uids);
      this.#ids.set(ids);
    }
    this.#uids[this.#count] = uid;
    this.#ids.set(id, this.#count * idBytes);
    this.#count += 1;
  }

  /** Returns the id at a position; the position must exist. */
  idAt(position: number): MessageId {
    return idFromBytes(this.#bytesAt(position));
  }

  /** Returns the positions of the ids that the arrays contain, in one pass. */
  positionsOf(ids: Iterable<MessageId>): ReadonlyMap<MessageId, number> {
    // Ids differ in their last bytes, which are random.
    const wanted = Map.groupBy(ids, (id) => new DataView(idToBytes(id).buffer).getUint32(idBytes - 4));
    const found = new Map<MessageId, number>();
    if (wanted.size === 0) return found;
    const view = new DataView(this.#ids.buffer);
    for (let at = 0; at < this.#count; at += 1) {
      const candidates = wanted.get(view.getUint32((at + 1) * idBytes - 4));
      if (candidates === undefined) continue;
      const id = this.idAt(at);
      if (candidates.includes(id)) found.set(id, at);
    }
    return found;
  }

  /** Returns a copy without some positions. */
  without(positions: ReadonlySet<number>): IdentityArrays {
    const copy = new IdentityArrays(this.#count);
    for (let at = 0; at < this.#count; at += 1) {
      if (!positions.has(at)) copy.add(this.#bytesAt(at), this.#uids[at] ?? 0);
    }
    return copy;
  }

  /** Returns a copy in the order of UIDs, without those above `uidMax`. */
  ordered(uidMax: number): IdentityArrays {
    const uidAt = (at: number): number => this.#uids[at] ?? 0;
    const order = Uint32Array.from({ length: this.#count }, (_, at) => at).sort((a, b) => uidAt(a) - uidAt(b));
    const copy = new IdentityArrays(this.#count);
    for (const at of order) if (uidAt(at) <= uidMax) copy.add(this.#bytesAt(at), uidAt(at));
    return copy;
  }

  #bytesAt(position: number): Uint8Array {
    return this.#ids.subarray(position * idBytes, (position + 1) * idBytes);
  }
}

/** Returns the position of the first number that is not smaller. */
export function lowerBound(ascending: Uint32Array, number: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
