import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRecentGramMemory, RecentGramReads, RecentGramWrites, recentHashesOf } from "./recent-grams.ts";

const server = { epoch: 7, receivedCount: 1, sentCount: 0 };

function open(messageCountMin = 0) {
  const memory = createRecentGramMemory();
  const [writes, reads] = [new RecentGramWrites(memory, messageCountMin), new RecentGramReads(memory)];
  return {
    writes,
    add: (sequence: number, text: string) => {
      writes.add(server, { sequence, subject: "", fields: "", body: Buffer.from(text) });
    },
    mayContain: (sequence: number, term: string) => {
      reads.readPublished();
      return reads.mayContain(server.epoch, sequence, recentHashesOf(Buffer.from(term)));
    },
    count: () => reads.countOf(server.epoch),
  };
}

/** Returns text in which hardly any run of four characters occurs twice. */
function noise(seed: number, length: number): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  }).join("");
}

describe("filters of recent messages", () => {
  it("exclude no message that contains the term", () => {
    const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 200 }), fc.string({ maxLength: 3000 }));
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(40), (body, from, length) => {
        const { add, writes, mayContain } = open();
        add(1, body);
        writes.publish();
        const characters = Array.from(body);
        const start = from % Math.max(1, characters.length);
        expect(mayContain(1, characters.slice(start, start + length).join(""))).toBe(true);
      }),
    );
  });

  it.each([200, 4000, 30_000])("exclude nearly all messages of %i characters without the term", (length) => {
    const { add, writes, mayContain } = open();
    for (let sequence = 1; sequence <= 200; sequence += 1) add(sequence, noise(sequence, length));
    writes.publish();
    const passed = Array.from({ length: 200 }, (_, at) => mayContain(at + 1, "0123456789")).filter(Boolean);
    expect(passed.length).toBeLessThan(10);
  });

  it("become visible when they are published, and never when they are discarded", () => {
    const { add, writes, mayContain } = open();
    add(1, "the first text");
    expect(mayContain(1, "absent")).toBe(true);
    writes.discard();
    add(2, "the second text");
    writes.publish();
    expect(mayContain(1, "absent")).toBe(true);
    expect(mayContain(2, "absent")).toBe(false);
  });

  it("are forgotten when the memory is needed for newer messages", () => {
    const { add, writes, mayContain, count } = open();
    const text = noise(1, 100_000);
    const total = 1500;
    for (let sequence = 1; sequence <= total; sequence += 1) {
      add(sequence, text);
      writes.publish();
    }
    expect(mayContain(1, "0123456789")).toBe(true);
    expect(mayContain(total, "0123456789")).toBe(false);
    expect(count()).toBeLessThan(total);
    expect(count()).toBeGreaterThan(400);
  });

  it("are those of the newest 16,384 small messages, however many are published between two searches", () => {
    const { add, writes, mayContain, count } = open();
    for (let sequence = 1; sequence <= 40_000; sequence += 1) {
      add(sequence, "a small text");
      if (sequence % 1000 === 0) writes.publish();
    }
    expect(mayContain(1, "absent")).toBe(true);
    expect(mayContain(39_999, "absent")).toBe(false);
    expect(count()).toBe(16_384);
  });

  it("are left out where one commit has too many messages", () => {
    const { add, writes, count } = open();
    for (let sequence = 1; sequence <= 20_000; sequence += 1) add(sequence, "a small text");
    writes.publish();
    expect(count()).toBe(8192);
  });

  it("are left out for short terms, long texts and small servers", () => {
    const large = open();
    large.add(1, "a".repeat(2 ** 20 + 1));
    large.add(2, "text");
    large.writes.publish();
    expect(large.mayContain(1, "absent")).toBe(true);
    expect(large.mayContain(2, "abst")).toBe(true);
    const small = open(2);
    small.add(1, "text");
    small.writes.publish();
    expect(small.mayContain(1, "absent")).toBe(true);
  });
});
