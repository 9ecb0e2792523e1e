import fc from "fast-check";
import { expect, test } from "vitest";
import { cut } from "../../testing/chunks.ts";
import { dotStuffed } from "./transaction-commands.ts";

async function stuffed(chunks: readonly Uint8Array[], lineCount?: number): Promise<string> {
  const parts: Uint8Array[] = [];
  async function* source(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield await Promise.resolve(chunk);
  }
  for await (const part of dotStuffed(source(), lineCount)) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString("latin1");
}

test("doubles dots at the beginning of lines, and ends the last line", async () => {
  expect(await stuffed([Buffer.from("a: b\r\n\r\n.\r\n..x\r\ny.")])).toBe("a: b\r\n\r\n..\r\n...x\r\ny.\r\n");
  expect(await stuffed([])).toBe("");
});

test.each([
  [0, "a: b\r\nc: .\r\n\r\n"],
  [1, "a: b\r\nc: .\r\n\r\n..one\r\n"],
  [2, "a: b\r\nc: .\r\n\r\n..one\r\ntwo\r\n"],
  [9, "a: b\r\nc: .\r\n\r\n..one\r\ntwo\r\n\r\n"],
])("sends the header section and %d lines of the body", async (count, expected) => {
  const mail = Buffer.from("a: b\r\nc: .\r\n\r\n.one\r\ntwo\r\n\r\n");
  for (let at = 0; at <= mail.length; at += 1) {
    expect(await stuffed([mail.subarray(0, at), mail.subarray(at)], count)).toBe(expected);
  }
});

test("is undone by a client, however the mail is divided", async () => {
  const lines = fc.array(fc.constantFrom(".", "..", "", "x", ".x", "x.", "\r"), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat(20), { maxLength: 5 }), async (given, cuts) => {
      const mail = given.map((line) => `${line}\r\n`).join("");
      const sent = await stuffed(cut(Buffer.from(mail), cuts));
      const received = sent.split("\r\n").map((line) => (line.startsWith(".") ? line.slice(1) : line));
      expect(sent.split("\r\n")).not.toContain(".");
      expect(received.join("\r\n")).toBe(mail);
    }),
  );
});
