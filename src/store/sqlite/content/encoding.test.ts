import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeMessageId, idFromBytes, idToBytes, messageRangeOf, newServerId } from "../../../core/ids.ts";
import { draft } from "../../conformance/drafts.ts";
import { textOf } from "../../conformance/setup.ts";
import { compress, decompress } from "../../compression.ts";
import { columnOf, withContent, readContent } from "../../content/layout.ts";
import { writeContent } from "./content-inserts.ts";
import { idsWithin, neighbours } from "../../page-bounds.ts";
import { decodeBatch, encodeBatch } from "../messages/message-batch.ts";
import { codePoint } from "../../../testing/code-point.test-aid.ts";

const server = newServerId();
const ids = fc
  .record({
    receivedAt: fc.nat(2 ** 31).map((ms) => ms * 1000),
    random: fc.integer({ min: 0, max: 0xffffffff }),
    direction: fc.constantFrom("Received" as const, "Sent" as const),
  })
  .map((parts) => encodeMessageId({ server, ...parts }));

describe("compression", () => {
  test("restores any bytes and adds at most 24 bytes to them", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }),
      fc
        .tuple(fc.uint8Array({ maxLength: 50 }), fc.nat(300))
        .map(([part, count]) => Buffer.concat(Array.from({ length: count }, () => part))),
    );
    fc.assert(
      fc.property(bytes, (plain) => {
        const packed = compress(plain);
        expect(packed.bytes.length).toBeLessThanOrEqual(plain.length + 24);
        expect(Buffer.compare(decompress(packed), plain)).toBe(0);
      }),
    );
  });

  test("compresses text", () => {
    expect(compress(Buffer.from("the same words ".repeat(100))).bytes.length).toBeLessThan(100);
  });
});

describe("content", () => {
  const third = 64 * 1024;
  const noise = (length: number) => Uint8Array.from({ length }, (_, n) => Math.imul(n, 2_654_435_761) >>> 13);
  const empty = Buffer.alloc(0);
  const text = (length: number) => Buffer.alloc(length, "abc");

  test.each([
    ["stores small parts together", { detail: text(500), raw: text(400), body: text(300) }, true],
    ["stores empty parts separately", { detail: empty, raw: empty, body: empty }, false],
    ["stores short parts together", { detail: text(150), raw: text(60), body: text(20) }, true],
    ["stores parts at the bound together", { detail: text(third), raw: text(third), body: text(third) }, true],
    ["stores parts past the bound separately", { detail: text(third), raw: text(third), body: text(third + 1) }, false],
    ["stores one large part apart from empty ones", { detail: empty, raw: noise(400_000), body: empty }, false],
    ["stores a single part together", { detail: empty, raw: text(400), body: empty }, true],
  ])("%s and restores them", (...[, content, isTogether]) => {
    const whole = Buffer.concat([content.detail, content.raw, content.body]);
    writeContent({ ...content, whole }, (columns) => {
      expect([columns.raw === null, columns.body === null]).toEqual([isTogether, isTogether]);
      const layout = { ...columns, isTogether: columns.raw === null ? 1 : 0 };
      for (const part of ["detail", "raw", "body"] as const) {
        const column = columns[columnOf(part, layout)] ?? Buffer.alloc(0);
        expect(Buffer.compare(readContent(column, part, layout), content[part])).toBe(0);
        const stored = { ...layout, column: new Uint8Array(column) };
        withContent(part, stored, (plain) => expect(Buffer.compare(plain, content[part])).toBe(0));
      }
    });
  });
});

describe("ranges of ids", () => {
  test("equal those of core", () => {
    fc.assert(
      fc.property(ids, (id) => {
        const { first, last } = neighbours(idToBytes(id));
        expect({ first: idFromBytes(first), last: idFromBytes(last) }).toEqual(messageRangeOf(id));
      }),
    );
  });

  test("contain exactly the ids of later whole milliseconds", () => {
    const instants = fc.double({ min: -10, max: 2 ** 44, noNaN: true });
    fc.assert(
      fc.property(instants, fc.integer({ min: -2, max: 2 }), (instant, offset) => {
        const receivedAt = Math.max(0, Math.floor(instant) + offset);
        const id = idToBytes(encodeMessageId({ server, direction: "Received", receivedAt, random: 7 }));
        const range = idsWithin(server, { direction: "Received", receivedAfter: instant });
        const isIn = range !== undefined && Buffer.compare(range.first, id) <= 0 && Buffer.compare(id, range.last) <= 0;
        expect(isIn).toBe(receivedAt > instant);
        const sent = idToBytes(encodeMessageId({ server, direction: "Sent", receivedAt, random: 7 }));
        expect(range === undefined || Buffer.compare(sent, range.last) > 0).toBe(true);
      }),
    );
  });
});

test("a batch restores any messages and leaves the caller's buffers attached", () => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  const texts = fc.string({ unit: codePoint, maxLength: 20 });
  const messages = fc.array(
    fc.record({ raw: bytes, detail: bytes, subject: texts, body: texts, to: fc.array(texts, { maxLength: 3 }) }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(messages, (fields) => {
      const drafts = fields.map((one) => draft(server, one));
      const batch = encodeBatch(drafts);
      const arrived = decodeBatch(structuredClone(batch, { transfer: [batch.bytes] }));
      expect(batch.bytes.detached).toBe(true);
      for (const [index, message] of drafts.entries()) {
        const other = arrived[index];
        expect(other?.id).toBe(message.id);
        expect(other?.to).toEqual(message.keys.to);
        expect(other?.from).toEqual(message.keys.from);
        expect(other?.subject).toBe(message.keys.subject);
        expect(textOf(other?.body)).toBe(message.keys.body.text);
        expect(textOf(other?.summary)).toBe(textOf(message.summaryJson));
        expect(Buffer.compare(other?.raw ?? Buffer.from("none"), message.raw)).toBe(0);
        expect(Buffer.compare(other?.detail ?? Buffer.from("none"), message.detailJson)).toBe(0);
      }
    }),
  );
});
