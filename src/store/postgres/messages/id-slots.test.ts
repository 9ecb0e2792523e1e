import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attachmentIdAt, decodeMessageId, encodeMessageId, messageRangeOf } from "../../../core/ids.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { idsSince } from "../../page-bounds.ts";
import { bytesOf, serverIdOf, serverNumberOf, slotOf, slotsWithin } from "./id-slots.ts";

const servers: fc.Arbitrary<ServerId> = fc
  .integer({ min: 0, max: 36 ** 8 - 1 })
  .map((number) => number.toString(36).padStart(8, "0") as ServerId);
const ids: fc.Arbitrary<MessageId> = fc
  .record({
    server: servers,
    direction: fc.constantFrom("Received" as const, "Sent" as const),
    receivedAt: fc.integer({ min: 0, max: 2 ** 47 - 1 }),
    random: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  })
  .map(encodeMessageId);

describe("serverNumberOf", () => {
  test("returns a safe integer that serverIdOf converts back, including leading zeros", () => {
    fc.assert(
      fc.property(servers, (server) => {
        expect(serverIdOf(serverNumberOf(server))).toBe(server);
        expect(Number.isSafeInteger(serverNumberOf(server))).toBe(true);
      }),
    );
  });
});

describe("slotOf", () => {
  test("returns the same slot for a message id and the ids of its attachments", () => {
    fc.assert(
      fc.property(ids, fc.integer({ min: 0, max: 1022 }), (id, position) => {
        expect(slotOf(id)).toBe(messageRangeOf(id).first);
        expect(slotOf(attachmentIdAt(id, position))).toBe(slotOf(id));
        expect(slotOf(messageRangeOf(id).last)).toBe(slotOf(id));
        expect(Buffer.from(bytesOf(id).slot).toString("hex")).toBe(slotOf(id).replaceAll("-", ""));
      }),
    );
  });

  test("preserves the order of ids", () => {
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        if (slotOf(one) !== slotOf(other)) expect(slotOf(one) < slotOf(other)).toBe(one < other);
      }),
    );
  });
});

describe("slotsWithin", () => {
  const server = "abcd1234" as ServerId;
  const isWithin = (receivedAt: number, time: number): boolean => {
    const range = slotsWithin(server, { direction: "Received", receivedAfter: time });
    const slot = slotOf(encodeMessageId({ server, direction: "Received", receivedAt, random: 5000 }));
    return range !== undefined && range.first <= slot && slot <= range.last;
  };

  test.each([
    [1000, 999, true],
    [1000, 999.9, true],
    [1000, 1000, false],
    [1000, 1000.5, false],
    [0, -1e9, true],
    [2 ** 47 - 1, 2 ** 47 - 2, true],
  ])("includes a message received at %d after the time %d: %s", (receivedAt, time, expected) => {
    expect(isWithin(receivedAt, time)).toBe(expected);
  });

  test("returns undefined when no id can be that late", () => {
    expect(slotsWithin(server, { direction: "Sent", receivedAfter: 2 ** 47 - 1 })).toBeUndefined();
    expect(slotsWithin(server, { direction: "Sent", receivedAfter: 1e18 })).toBeUndefined();
  });

  test("returns all slots of one direction without a time", () => {
    expect(slotsWithin(server, { direction: "Sent", receivedAfter: null })).toEqual(idsSince(server, "Sent"));
    expect(idsSince(server, "Received").last < idsSince(server, "Sent").first).toBe(true);
  });

  test("returns the slots below that of the `before` message", () => {
    fc.assert(
      fc.property(ids, ids, (one, before) => {
        const { direction } = decodeMessageId(before);
        const range = slotsWithin(decodeMessageId(before).server, { direction, receivedAfter: null, before });
        const isIn = range !== undefined && range.first <= slotOf(one) && slotOf(one) <= range.last;
        const isOfRange =
          decodeMessageId(one).server === decodeMessageId(before).server &&
          decodeMessageId(one).direction === direction;
        expect(isIn).toBe(isOfRange && slotOf(one) < slotOf(before));
      }),
    );
    const only = encodeMessageId({ server, direction: "Received", receivedAt: 0, random: 0 });
    expect(slotsWithin(server, { direction: "Received", receivedAfter: null, before: only })).toBeUndefined();
  });
});
