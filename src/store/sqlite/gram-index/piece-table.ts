/**
 * The distinct pieces of many texts, each with the messages that contain it.
 *
 * Mails of one application share most of their bytes. So texts are cut where their content says so, equal pieces are
 * recognised by comparing them byte for byte, and the costly part of an index, its grams, is made once a piece instead
 * of once a message. A piece carries along the bytes that grams starting in it may reach into, so that the grams of a
 * text are exactly those of its pieces.
 */
import { doubled, release } from "./arrays.ts";
import { gramBytes } from "./grams.ts";
import type { GramField, GramStretch } from "./grams.ts";
import { emptyState, MessageStates } from "./message-states.ts";

/** Shortest piece, except at the end of a text. */
const pieceBytesMin = 16;
/** Longest piece: one changed byte in a text without cuts must not make all of it new. */
export const pieceBytesMax = 256;
/** Behind the shortest length, one byte in 2^5 is a cut. */
const cutShift = 32 - 5;
const cellsPerPiece = 6;

/** Distinct pieces, numbered from 0 in the order in which they came. */
export class PieceTable {
  readonly states: MessageStates = new MessageStates();
  #count = 0;
  #bytes = new Uint8Array(1 << 16);
  #bytesLength = 0;
  /** For each piece: offset, length, startCount × 2 + field, hash, state, and the cell, plus one, of the piece after it. */
  #cells = new Int32Array(cellsPerPiece * 1024);
  /** Numbers of pieces, plus one, by their hash; zero where there is none. */
  #slots = new Int32Array(4096);
  #hash = 0;

  get count(): number {
    return this.#count;
  }

  /** Bytes of all pieces. */
  get byteCount(): number {
    return this.#bytesLength;
  }

  /** Adds a field of a message; messages come in ascending order. */
  add(text: Uint8Array, field: GramField, message: number): void {
    let previous: number | undefined;
    let start = 0;
    while (start < text.length) {
      const expected = previous === undefined ? 0 : (this.#cells[previous + 5] ?? 0);
      const isExpected = expected > 0 && this.#isNext(expected - 1, text, start);
      const cell = isExpected ? expected - 1 : this.#findNext(text, start, field);
      if (!isExpected && previous !== undefined) this.#cells[previous + 5] = cell + 1;
      this.#cells[cell + 4] = this.states.next(this.#cells[cell + 4] ?? emptyState, message);
      start += (this.#cells[cell + 2] ?? 0) >>> 1;
      previous = cell;
    }
  }

  /** Where a piece's grams lie. */
  stretchOf(piece: number): GramStretch {
    const cell = piece * cellsPerPiece;
    const start = this.#cells[cell] ?? 0;
    const startCount = (this.#cells[cell + 2] ?? 0) >>> 1;
    return { bytes: this.#bytes, start, startEnd: start + startCount, end: start + (this.#cells[cell + 1] ?? 0) };
  }

  fieldOf(piece: number): GramField {
    return ((this.#cells[piece * cellsPerPiece + 2] ?? 0) & 1) === 0 ? "subject" : "body";
  }

  stateOf(piece: number): number {
    return this.#cells[piece * cellsPerPiece + 4] ?? emptyState;
  }

  /** Frees the memory; nothing may be asked afterwards. */
  release(): void {
    release(this.#bytes, this.#cells, this.#slots);
    this.states.release();
  }

  /** Whether the piece of a cell is the next one of a text: as cuts follow from content, its bytes are all that counts. */
  #isNext(cell: number, text: Uint8Array, start: number): boolean {
    const length = this.#cells[cell + 1] ?? 0;
    const end = start + length;
    const reach = length - ((this.#cells[cell + 2] ?? 0) >>> 1);
    if (end > text.length || (reach < gramBytes - 1 && end < text.length)) return false;
    return areEqual(this.#bytes, this.#cells[cell] ?? 0, { bytes: text, start, length });
  }

  #findNext(text: Uint8Array, start: number, field: GramField): number {
    const startEnd = this.#cut(text, start);
    return this.#find({ bytes: text, start, startEnd, end: Math.min(text.length, startEnd + gramBytes - 1) }, field);
  }

  /** End of the piece that starts at `start`; its hash is left in `#hash`. */
  #cut(text: Uint8Array, start: number): number {
    const end = Math.min(text.length, start + pieceBytesMax);
    const cutFrom = start + pieceBytesMin - 1;
    let window = 0;
    let hash = 0;
    let at = start;
    while (at < end) {
      const byte = text[at] ?? 0;
      window = (window << 8) | byte;
      hash = Math.imul(hash ^ byte, 0x01000193);
      at++;
      if (Math.imul(window, 0x9e3779b1) >>> cutShift === 0 && at > cutFrom) break;
    }
    this.#hash = hash;
    return at;
  }

  /** The cell of a piece, which is added if it is new. */
  #find(stretch: GramStretch, field: GramField): number {
    const shape = (stretch.startEnd - stretch.start) * 2 + (field === "subject" ? 0 : 1);
    let hash = Math.imul(this.#hash ^ shape, 0x01000193);
    for (let at = stretch.startEnd; at < stretch.end; at++) {
      hash = Math.imul(hash ^ (stretch.bytes[at] ?? 0), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77);
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 16)) & mask;
    for (let owner = this.#slots[slot] ?? 0; owner !== 0; owner = this.#slots[slot] ?? 0) {
      const cell = (owner - 1) * cellsPerPiece;
      if (this.#cells[cell + 3] === hash && this.#cells[cell + 2] === shape && this.#isAt(cell, stretch)) return cell;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.#count + 1;
    return this.#append(stretch, shape, hash);
  }

  #isAt(cell: number, stretch: GramStretch): boolean {
    const { bytes, start, end } = stretch;
    if (this.#cells[cell + 1] !== end - start) return false;
    return areEqual(this.#bytes, this.#cells[cell] ?? 0, { bytes, start, length: end - start });
  }

  #append(stretch: GramStretch, shape: number, hash: number): number {
    const length = stretch.end - stretch.start;
    this.#reserve(length);
    const cell = this.#count++ * cellsPerPiece;
    this.#bytes.set(stretch.bytes.subarray(stretch.start, stretch.end), this.#bytesLength);
    this.#cells[cell] = this.#bytesLength;
    this.#cells[cell + 1] = length;
    this.#cells[cell + 2] = shape;
    this.#cells[cell + 3] = hash;
    this.#cells[cell + 4] = emptyState;
    this.#bytesLength += length;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return cell;
  }

  #reserve(length: number): void {
    if (this.#bytesLength + length > this.#bytes.length) this.#bytes = new Uint8Array(doubled(this.#bytes.buffer));
    if ((this.#count + 1) * cellsPerPiece > this.#cells.length) {
      this.#cells = new Int32Array(doubled(this.#cells.buffer));
    }
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let piece = 0; piece < this.#count; piece++) {
      const hash = this.#cells[piece * cellsPerPiece + 3] ?? 0;
      let slot = (hash ^ (hash >>> 16)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = piece + 1;
    }
    release(this.#slots);
    this.#slots = slots;
  }
}

function areEqual(
  bytes: Uint8Array,
  from: number,
  other: { readonly bytes: Uint8Array; readonly start: number; readonly length: number },
): boolean {
  const { bytes: others, start, length } = other;
  for (let at = 0; at < length; at++) if (bytes[from + at] !== others[start + at]) return false;
  return true;
}
