import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeMessageId, idToBytes, type ServerId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";
import { arrange } from "./arrange.ts";

const server = "abcd1234" as ServerId;
const direction = fc.constantFrom<Direction>("Received", "Sent");

describe("an arrangement", () => {
  test("numbers received messages first, each direction by id, and omits members without an id", () => {
    const anyMembers = fc.uniqueArray(fc.record({ direction, receivedAt: fc.nat(), isIncluded: fc.boolean() }), {
      selector: ({ direction, receivedAt }) => `${direction}${receivedAt}`,
      maxLength: 40,
    });
    fc.assert(
      fc.property(anyMembers, (members) => {
        const ids = members.map((one) => idToBytes(encodeMessageId({ server, random: 0, ...one })));
        const arrangement = arrange(
          members.map(({ isIncluded }, place) => ({ id: isIncluded ? ids[place] : undefined })),
        );
        const present = members.filter(({ isIncluded }) => isIncluded);
        const received = present.filter((one) => one.direction === "Received");
        expect(arrangement.size).toBe(present.length);
        expect(arrangement.receivedSize).toBe(received.length);
        for (const [place, { isIncluded }] of members.entries()) {
          const ordinal = arrangement.ordinals[place] ?? -2;
          const id = arrangement.ids.slice(ordinal * 16, ordinal * 16 + 16);
          if (isIncluded) expect(id).toEqual(ids[place]);
          else expect(ordinal).toBe(-1);
        }
        const hex = Array.from({ length: present.length }, (_, at) =>
          Buffer.from(arrangement.ids.slice(at * 16, at * 16 + 16)).toString("hex"),
        );
        expect(hex).toEqual(hex.toSorted());
        expect(toHex(arrangement.received?.last)).toBe(hex[received.length - 1]);
        expect(toHex(arrangement.sent?.first)).toBe(hex[received.length]);
      }),
    );
  });
});

function toHex(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("hex");
}
