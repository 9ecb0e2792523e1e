import fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "./read-lines.ts";

async function linesOf(chunks: readonly Uint8Array[], lineBytesMax = 1e6) {
  const lines = [];
  const source = async function* (): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    yield* chunks;
  };
  for await (const some of readLines(source(), lineBytesMax)) {
    for (const { number, bytes, isWhole } of some) lines.push({ number, text: bytes.toString("latin1"), isWhole });
  }
  return lines;
}

test("yields the same numbered lines for any chunks, also with an incomplete last line", async () => {
  const letters = fc.array(fc.constantFrom("a", "\n", "\r", "\0", "é"), { maxLength: 200 }).map((all) => all.join(""));
  const property = fc.asyncProperty(letters, fc.array(fc.nat(9), { maxLength: 60 }), async (text, sizes) => {
    const bytes = Buffer.from(text, "latin1");
    const chunks: Uint8Array[] = [];
    let at = 0;
    for (const size of sizes) {
      chunks.push(bytes.subarray(at, at + size));
      at += size;
    }
    chunks.push(bytes.subarray(at));
    const parts = text.split("\n");
    const rest = parts.pop() ?? "";
    const whole = parts.map((line, index) => ({ number: index + 1, text: line, isWhole: true }));
    const torn = rest === "" ? [] : [{ number: whole.length + 1, text: rest, isWhole: false }];
    expect(await linesOf(chunks)).toEqual([...whole, ...torn]);
  });
  await fc.assert(property, { numRuns: 300 });
});

test.each([["ab\nabcd\n"], ["ab\nabcd"]])(
  "%j has a line of the longest length, and one byte more is refused by number",
  async (text) => {
    for (const size of [1, 3, 100]) {
      const bytes = Buffer.from(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      expect(await linesOf(chunks, 4)).toHaveLength(2);
      await expect(linesOf(chunks, 3)).rejects.toThrow("line 2 has more than 3 bytes");
    }
  },
);

test("takes time proportional to the length of a line", async () => {
  const chunk = Buffer.alloc(1024, "x");
  const cpuMsOf = async (length: number): Promise<number> => {
    const before = process.threadCpuUsage();
    const [line] = await linesOf(
      Array.from({ length }, () => chunk),
      1e9,
    );
    expect(line?.text).toHaveLength(length * 1024);
    return process.threadCpuUsage(before).user / 1000;
  };
  // Time that grows with the square would be 64 times as much; 100 ms are for what both have in common.
  const short = await cpuMsOf(5000);
  expect(await cpuMsOf(40_000)).toBeLessThan(32 * (short + 100));
});
