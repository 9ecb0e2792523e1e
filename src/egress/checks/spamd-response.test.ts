import fc from "fast-check";
import { expect, test } from "vitest";
import { readSpamdResponse } from "./spamd-response.ts";

const head = "SPAMD/1.1 0 EX_OK\r\nSpam: True ; 6.1 / 5.0\r\n\r\n";
const ruler = `---- ${"-".repeat(22)} ${"-".repeat(50)}\n`;

test("parses the whole table and nothing before it", () => {
  const report = ` 9.9 BEFORE  x\n${ruler} 1.5 ONE_RULE   says so\n${" ".repeat(28)}and goes on\n-2.0 TWO\n\n 8.8 AFTER x\n`;
  expect(readSpamdResponse(head + report).rules).toEqual([
    { rule: "ONE_RULE", score: 1.5, description: "says so and goes on" },
    { rule: "TWO", score: -2, description: "TWO" },
  ]);
});

test("parses or throws for any text in linear time", () => {
  const lines = fc.constantFrom(
    ruler,
    " 1.0 RULE text\n",
    `${" ".repeat(28)}more\n`,
    "\n",
    "Spam: no ; 1 / 2\r\n",
    "\r\n",
    "x",
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(lines, { maxLength: 30 }).map((parts) => head + parts.join("")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        const { score, threshold, rules } = readSpamdResponse(text);
        expect([score, threshold, ...rules.map((rule) => rule.score)].every(Number.isFinite)).toBe(true);
        expect(rules.every(({ description }) => description !== "")).toBe(true);
      } catch (error) {
        expect((error as Error).message).toContain("spamd");
      }
    }),
  );
  const cpuBefore = process.threadCpuUsage();
  for (const piece of [" ", "-", `${ruler} 1.0 A b\n`, "Spam: "]) {
    try {
      readSpamdResponse(head + piece.repeat(200_000 / piece.length));
    } catch (error) {
      expect((error as Error).message).toContain("spamd");
    }
  }
  expect(process.threadCpuUsage(cpuBefore).user / 1000).toBeLessThan(6000);
});
