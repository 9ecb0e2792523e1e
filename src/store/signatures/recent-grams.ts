/**
 * Filters over the runs of four bytes of the messages that were stored last, which exclude most messages that the text index does
 * not cover yet without reading them. They are in memory that two threads share: the writer adds, searches read. A message
 * without a filter, because it is older than this memory or than the process, is compared.
 */
import { bitCount } from "./bit-sets.ts";

/** Words of filters, 8 MiB: a power of two, because places are counted modulo 2³². */
const ringWords = 2 ** 21;
/** Entries in memory, of which half are read: a power of two. */
const entryCountMax = 2 ** 15;
/** Words of an entry: epoch, sequence number, place of its filter, exponent of the number of its bits. */
const entryWords = 4;

/** Words of the head: those reserved for filters since the start, and the entries that are valid. */
const reservedWords = 0;
const publishedCount = 1;
const headWords = 2;

/** Length of the runs. */
const gramBytes = 4;
const exponentMin = 8;
const exponentMax = 17;
/** Share of bits up to which a filter is folded: a term of eleven bytes then lets pass at most one in 60 other messages. */
const fillMax = 0.3;
/** Messages of one commit with a filter: fewer than there are entries, which would else be changed while they are read. */
const pendingCountMax = entryCountMax / 4;
/** Newest entries that are read: the others may be changed by the next commits. */
const readableCountMax = entryCountMax / 2;
/** Words before those that are reserved next, which a processor may let other threads see changed too early. */
const unsafeWords = 2 ** 16;
/** Longer texts have no filter. */
const textBytesMax = 1024 * 1024;

interface Views {
  readonly head: Int32Array;
  readonly entries: Int32Array;
  readonly ring: Int32Array;
}

/** Returns memory for the filters, whose pages are taken as messages arrive. */
export function createRecentGramMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer((headWords + entryCountMax * entryWords + ringWords) * 4);
}

function viewsOf(memory: SharedArrayBuffer): Views {
  const entriesAt = headWords * 4;
  const ringAt = entriesAt + entryCountMax * entryWords * 4;
  return {
    head: new Int32Array(memory, 0, headWords),
    entries: new Int32Array(memory, entriesAt, entryCountMax * entryWords),
    ring: new Int32Array(memory, ringAt, ringWords),
  };
}

/** Server that a message is stored in. */
export interface RecentServer {
  readonly epoch: number;
  readonly receivedCount: number;
  readonly sentCount: number;
}

/** Stored message with its folded texts; the body is UTF-8. */
export interface RecentMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly fields: string;
  readonly body: Uint8Array;
}

/** Side of the writer. Filters become visible after the commit of their messages, or not at all. */
export class RecentGramWrites {
  readonly #views: Views;
  /** Signed, because engines calculate with such words faster. */
  readonly #bits = new Int32Array(2 ** (exponentMax - 5));
  #count = 0;

  readonly #messageCountMin: number;

  /**
   * `memory` is that of {@link createRecentGramMemory}, to which no other thread writes. Servers with fewer than
   * `messageCountMin` messages get no filters: comparing their messages takes as long as a list.
   */
  constructor(memory: SharedArrayBuffer = createRecentGramMemory(), messageCountMin = 100) {
    this.#views = viewsOf(memory);
    this.#messageCountMin = messageCountMin;
    this.discard();
  }

  /** Adds the filter of a message, which is not visible before {@link publish}, unless its server is small. */
  add({ epoch, receivedCount, sentCount }: RecentServer, { sequence, subject, fields, body }: RecentMessage): void {
    if (receivedCount + sentCount < this.#messageCountMin) return;
    const texts = [Buffer.from(subject), Buffer.from(fields), body];
    const byteCount = texts.reduce((sum, { length }) => sum + length, 0);
    const { head, entries, ring } = this.#views;
    const pendingCount = (this.#count - Atomics.load(head, publishedCount)) >>> 0;
    if (byteCount > textBytesMax || pendingCount >= pendingCountMax) return;
    const exponent = this.#mark(texts, byteCount);
    const wordCount = 2 ** (exponent - 5);
    const place = this.#reserve(wordCount);
    ring.set(this.#bits.subarray(0, wordCount), place & (ringWords - 1));
    entries.set([epoch, sequence, place, exponent], (this.#count & (entryCountMax - 1)) * entryWords);
    this.#count = (this.#count + 1) | 0;
  }

  /** Makes what was added visible. */
  publish(): void {
    const { head } = this.#views;
    if (head[publishedCount] !== this.#count) Atomics.store(head, publishedCount, this.#count);
  }

  /** Drops what was added: the sequence numbers may be given to other messages. */
  discard(): void {
    this.#count = Atomics.load(this.#views.head, publishedCount);
  }

  /** Returns the place of so many words in a row, whose former content is no longer valid. */
  #reserve(wordCount: number): number {
    const { head } = this.#views;
    const next = Atomics.load(head, reservedWords);
    const left = ringWords - (next & (ringWords - 1));
    const place = left < wordCount ? (next + left) | 0 : next;
    Atomics.store(head, reservedWords, (place + wordCount) | 0);
    return place;
  }

  /** Sets the bits of the grams of texts; returns the exponent of their number. */
  #mark(texts: readonly Uint8Array[], byteCount: number): number {
    const bits = this.#bits;
    let exponent = exponentMin;
    while (exponent < exponentMax && 2 ** exponent < 2 * byteCount) exponent += 1;
    let wordCount = 2 ** (exponent - 5);
    bits.fill(0, 0, wordCount);
    for (const text of texts) markGrams(text, bits, 2 ** exponent - 1);
    const target = exponentFor(countBits(bits, wordCount), exponent);
    for (; exponent > target; exponent -= 1) {
      wordCount /= 2;
      for (let at = 0; at < wordCount; at += 1) bits[at] = (bits[at] ?? 0) | (bits[at + wordCount] ?? 0);
    }
    return exponent;
  }
}

/** Returns the smallest exponent of a filter for so many bits: folding a larger one sets at most as many as there were. */
function exponentFor(count: number, exponent: number): number {
  let target = exponent;
  while (target > exponentMin && count <= fillMax * 2 ** (target - 1)) target -= 1;
  return target;
}

/** Marks the runs of four bytes that begin at even places: half of them take half the time and space. */
function markGrams(text: Uint8Array, bits: Int32Array, mask: number): void {
  // One read for each run; and arrays and buffers, which occur both, are different kinds of objects to an engine.
  const view = new DataView(text.buffer, text.byteOffset, text.byteLength);
  for (let at = 0, last = text.byteLength - gramBytes; at <= last; at += 2) {
    const hash = hashOf(view.getInt32(at, true)) & mask;
    const place = hash >>> 5;
    bits[place] = (bits[place] ?? 0) | (1 << hash);
  }
}

/** Returns the hash of a run, read as a little-endian number. It has 17 bits; the lower ones are those of smaller filters. */
function hashOf(gram: number): number {
  return Math.imul(gram, 0x9e37_79b1) >>> (32 - exponentMax);
}

function countBits(words: Int32Array, wordCount: number): number {
  let count = 0;
  for (let at = 0; at < wordCount; at += 1) count += bitCount(words[at] ?? 0);
  return count;
}

/**
 * Returns the hashes of the runs of four bytes of a term that begin at even and at odd places: a text with the term has all of
 * the first, or all of the second. A term of fewer than five bytes excludes nothing.
 */
export function recentHashesOf(term: Uint8Array): RecentHashes {
  const hashes: [Set<number>, Set<number>] = [new Set(), new Set()];
  const view = new DataView(term.buffer, term.byteOffset, term.byteLength);
  for (let at = 0; at + gramBytes <= term.byteLength; at += 1) {
    hashes[(at & 1) as 0 | 1].add(hashOf(view.getInt32(at, true)));
  }
  return [[...hashes[0]], [...hashes[1]]];
}

/** Hashes of a term; see {@link recentHashesOf}. */
export type RecentHashes = readonly [even: readonly number[], odd: readonly number[]];

/** Filter of a message. */
interface Entry {
  readonly sequence: number;
  readonly epoch: number;
  readonly place: number;
  readonly exponent: number;
}

/** Side of searches. */
export class RecentGramReads {
  readonly #views: Views;
  /** By epoch and sequence number. */
  readonly #entries = new Map<number, Map<number, Entry>>();
  /** All of {@link #entries}, oldest first. */
  readonly #order: Entry[] = [];
  #seenCount = 0;

  /** `memory` is that of the {@link RecentGramWrites} of the same store. */
  constructor(memory: SharedArrayBuffer = createRecentGramMemory()) {
    this.#views = viewsOf(memory);
  }

  /** Returns how many messages of an epoch have a filter. */
  countOf(epoch: number): number {
    this.readPublished();
    return this.#entries.get(epoch)?.size ?? 0;
  }

  /** Returns false where the filter of a message excludes that it has a text with a term; true without a filter. */
  mayContain(epoch: number, sequence: number, [even, odd]: RecentHashes): boolean {
    const entry = this.#entries.get(epoch)?.get(sequence);
    if (entry === undefined) return true;
    const { ring } = this.#views;
    const { place, exponent } = entry;
    const [start, mask] = [place & (ringWords - 1), 2 ** exponent - 1];
    const isSet = (hash: number): boolean => ((ring[start + ((hash & mask) >>> 5)] ?? 0) & (1 << hash)) !== 0;
    // Validity is read afterwards, because the writer reserves words before it changes them.
    return even.every(isSet) || odd.every(isSet) || !this.#isValid(entry);
  }

  #isValid({ place }: Entry): boolean {
    return (Atomics.load(this.#views.head, reservedWords) - place) >>> 0 <= ringWords - unsafeWords;
  }

  /** Must be called before {@link mayContain}, in the snapshot that is searched. */
  readPublished(): void {
    const { head, entries } = this.#views;
    const count = Atomics.load(head, publishedCount);
    const newCount = Math.min((count - this.#seenCount) >>> 0, readableCountMax);
    for (let left = newCount; left > 0; left -= 1) {
      const number = (count - left) | 0;
      const at = (number & (entryCountMax - 1)) * entryWords;
      const [epoch = 0, sequence = 0, place = 0, exponent = 0] = entries.subarray(at, at + entryWords);
      // Read afterwards: the writer may be a whole round ahead by now, and the entry that of a later message.
      const age = (Atomics.load(head, publishedCount) - number) >>> 0;
      if (age <= readableCountMax + pendingCountMax) this.#add({ epoch, sequence, place, exponent });
    }
    this.#seenCount = count;
    this.#forgetInvalid();
  }

  #add(entry: Entry): void {
    const ofEpoch = this.#entries.get(entry.epoch) ?? new Map<number, Entry>();
    this.#entries.set(entry.epoch, ofEpoch.set(entry.sequence, entry));
    this.#order.push(entry);
  }

  /** Forgets the filters that the writer has replaced; they are the oldest ones. */
  #forgetInvalid(): void {
    const oldest = this.#order.findIndex((entry) => this.#isValid(entry));
    for (const entry of this.#order.splice(0, oldest < 0 ? this.#order.length : oldest)) {
      const ofEpoch = this.#entries.get(entry.epoch);
      if (ofEpoch?.get(entry.sequence) !== entry) continue;
      ofEpoch.delete(entry.sequence);
      if (ofEpoch.size === 0) this.#entries.delete(entry.epoch);
    }
  }
}
