import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gramKey, writeGrams } from "./grams.ts";
import type { GramField, GramStretch } from "./grams.ts";
import { readPieceSets, wordsOf } from "./piece-sets.ts";
import { pieceBytesMax, PieceTable } from "./piece-table.ts";
import { OrdinalSet } from "./posting.ts";
import { arbitraryText, utf8 } from "./segment.test-aid.ts";

function keysOf(stretch: GramStretch, field: GramField): number[] {
  const count = stretch.startEnd - stretch.start;
  const parts = { high: new Uint32Array(count), low: new Uint16Array(count) };
  writeGrams(stretch, parts);
  return Array.from(parts.high, (high, at) => gramKey(field, high, parts.low[at] ?? 0));
}

/** Which messages have each key, told by the pieces. */
function ownersByPieces(table: PieceTable, ordinals: readonly number[]): Map<number, Set<number>> {
  const sets = readPieceSets(table, ordinals);
  const owners = new Map<number, Set<number>>();
  for (let piece = 0; piece < table.count; piece++) {
    const number = sets.setOf[piece] ?? 0;
    const members = number < sets.size ? [number] : new OrdinalSet(sets.size, wordsOf(sets, number)).members();
    for (const key of keysOf(table.stretchOf(piece), table.fieldOf(piece))) {
      owners.set(key, (owners.get(key) ?? new Set()).union(new Set(members)));
    }
  }
  return owners;
}

describe("the pieces of texts", () => {
  test("have exactly the grams of the texts, each with exactly the messages that have it", () => {
    const mails = fc.array(fc.record({ subject: arbitraryText, body: arbitraryText }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(mails, (texts) => {
        const table = new PieceTable();
        const ordinals = texts.map((_, message) => (message * 7) % texts.length);
        fc.pre(new Set(ordinals).size === texts.length);
        const expected = new Map<number, Set<number>>();
        for (const [message, text] of texts.entries()) {
          for (const field of ["subject", "body"] as const) {
            const bytes = utf8(text[field]);
            table.add(bytes, field, message);
            const whole = { bytes, start: 0, startEnd: bytes.length, end: bytes.length };
            for (const key of keysOf(whole, field)) {
              expected.set(key, (expected.get(key) ?? new Set()).add(ordinals[message] ?? 0));
            }
          }
        }
        expect(ownersByPieces(table, ordinals)).toEqual(expected);
      }),
    );
  });

  test("are few where texts repeat one another but for a word", () => {
    const template = Array.from({ length: 400 }, (_, place) => `<p>${(place * 7919).toString(36)}</p>`).join("\n");
    const table = new PieceTable();
    for (let message = 0; message < 100; message++) {
      table.add(utf8(`${template} Hello number ${message}! ${template}`), "body", message);
    }
    expect(table.byteCount).toBeLessThan(template.length * 6);
  });

  test("are bounded in length, so that one changed byte in a text without cuts costs little", () => {
    const table = new PieceTable();
    const text = new Uint8Array(100_000).fill(0x61);
    table.add(text, "body", 0);
    text[50_000] = 0x62;
    table.add(text, "body", 1);
    for (let piece = 0; piece < table.count; piece++) {
      const { start, startEnd } = table.stretchOf(piece);
      expect(startEnd - start).toBeLessThanOrEqual(pieceBytesMax);
    }
    expect(table.byteCount).toBeLessThan(10 * pieceBytesMax);
  });

  test("of an empty text are none", () => {
    const table = new PieceTable();
    table.add(new Uint8Array(0), "body", 0);
    expect(table.count).toBe(0);
  });

  test("are found in time linear in the text, even where it is made to be cut everywhere", () => {
    const table = new PieceTable();
    const bytes = new Uint8Array(2_000_000);
    for (let at = 0; at < bytes.length; at++) bytes[at] = 1 + ((at >>> 3) % 255);
    const before = performance.now();
    table.add(bytes, "body", 0);
    expect(performance.now() - before).toBeLessThan(5000);
    expect(table.count).toBeLessThanOrEqual(bytes.length / 16 + 1);
  });
});
