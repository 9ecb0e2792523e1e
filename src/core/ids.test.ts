import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  attachmentIdAt,
  attachmentPosition,
  attachmentsPerMessageMax,
  createIdSource,
  decodeMessageId,
  encodeIdBytes,
  encodeMessageId,
  idFromBytes,
  idToBytes,
  messageRangeOf,
  newServerId,
  parseAttachmentId,
  parseMessageId,
  parseServerId,
  type MessageId,
  type MessageIdParts,
  type ServerId,
} from "./ids.ts";

const serverIds = fc.stringMatching(/^[a-z0-9]{8}$/) as fc.Arbitrary<ServerId>;
const idParts: fc.Arbitrary<MessageIdParts> = fc.record({
  server: serverIds,
  direction: fc.constantFrom("Received" as const, "Sent" as const),
  receivedAt: fc.integer({ min: 0, max: 2 ** 47 - 1 }),
  random: fc.integer({ min: 0, max: 0xffffffff }),
});

describe("message ids", () => {
  test("encode and decode server, direction, time and random bits as a UUIDv8", () => {
    fc.assert(
      fc.property(idParts, (parts) => {
        const id = encodeMessageId(parts);
        expect(decodeMessageId(id)).toEqual(parts);
        expect(parseMessageId(id.toUpperCase())).toBe(id);
        expect(idFromBytes(idToBytes(id))).toBe(id);
        expect(encodeIdBytes(parts)).toEqual(idToBytes(id));
      }),
    );
  });

  test("decode the same in every version", () => {
    const id = "a0e80898-34c0-8687-bbbc-7e3f6d16d82d" as MessageId;
    const parts = { server: "z9xaylsj", direction: "Received", receivedAt: 1_795_224_796_735, random: 0x6d16d82d };
    expect(decodeMessageId(id)).toEqual(parts);
    expect(encodeMessageId(parts as MessageIdParts)).toBe(id);
  });

  test("sort by time within one server and direction", () => {
    fc.assert(
      fc.property(idParts, idParts, (one, other) => {
        const a = encodeMessageId(one);
        const b = encodeMessageId({ ...other, server: one.server, direction: one.direction });
        const timeOrder = Math.sign(one.receivedAt - other.receivedAt) || Math.sign(one.random - other.random);
        expect(a < b ? -1 : a > b ? 1 : 0).toBe(timeOrder);
      }),
    );
  });

  test.each([
    "",
    "not_found",
    "abcd1234",
    "00000000-0000-4000-8000-000000000000",
    "ffffffff-ffff-8fff-bfff-ffffffffffff",
  ])("reject %j", (text) => {
    expect(parseMessageId(text)).toBeUndefined();
    expect(parseAttachmentId(text)).toBeUndefined();
  });
});

describe("attachment ids", () => {
  test("decode to message and position, and never equal a message id", () => {
    const positions = fc.integer({ min: 0, max: attachmentsPerMessageMax - 1 });
    fc.assert(
      fc.property(idParts, positions, (parts, position) => {
        const message = encodeMessageId(parts);
        const attachment = attachmentIdAt(message, position);
        const range = messageRangeOf(attachment);
        expect(attachment).not.toBe(message);
        expect(range.first <= message && message <= range.last).toBe(true);
        expect(attachmentPosition(message, attachment)).toBe(position);
      }),
    );
  });
});

describe("the id source", () => {
  test("returns ascending ids within one millisecond, with gaps for attachments", () => {
    const source = createIdSource(() => 1_700_000_000_000);
    const server = newServerId();
    let previous = messageRangeOf(source.next(server, "Received").id);
    for (let count = 0; count < 20_000; count += 1) {
      const next = messageRangeOf(source.next(server, "Received").id);
      expect(next.first > previous.last).toBe(true);
      previous = next;
    }
  });

  test("follows a clock that steps back by more than a second", () => {
    let now = 5_000;
    const source = createIdSource(() => now);
    source.next(newServerId(), "Received");
    now = 1_000;
    expect(source.next(newServerId(), "Received").receivedAt).toBe(1_000);
  });
});

describe("server ids", () => {
  test("have eight characters, start with a letter and are parsed in any letter case", () => {
    const id = newServerId();
    expect(id).toMatch(/^[a-z][a-z0-9]{7}$/);
    expect(parseServerId(id.toUpperCase())).toBe(id);
  });

  test.each(["", "abc", "abcd12345", "abcd_123", "абвгдежз"])("reject %j", (text) => {
    expect(parseServerId(text)).toBeUndefined();
  });
});
