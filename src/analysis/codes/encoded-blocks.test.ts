import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinearCpu } from "../../testing/cpu-growth.test-aid.ts";
import { withoutEncodedBlocks } from "./encoded-blocks.ts";
import { findCodes } from "./find-codes.ts";

const codesIn = (text: string): string[] => findCodes(text).map(({ value }) => value);

/** Encodes bytes as uuencode does. */
function uuencode(bytes: Buffer, lineEnd = "\n"): string {
  const character = (sextet: number): string => (sextet === 0 ? "`" : String.fromCharCode(sextet + 32));
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += 45) {
    const line = bytes.subarray(start, start + 45);
    const padded = Buffer.concat([line, Buffer.alloc((3 - (line.length % 3)) % 3)]).toString("base64");
    const sextets = padded.split("").map((digit) => character(Buffer.from(`${digit}AAA`, "base64").readUInt8(0) >> 2));
    lines.push(character(line.length) + sextets.join(""));
  }
  return ["begin 644 report.pdf", ...lines, "`", "end", ""].join(lineEnd);
}

const bytes = (length: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (index * index * 31 + index * seed + seed) % 251));

describe("files in a text", () => {
  it("finds no code in uuencode, whole, quoted and split", () => {
    for (let seed = 1; seed < 60; seed += 1) {
      const file = uuencode(bytes(400, seed));
      const lines = file.split("\n");
      const texts = [file, file.replaceAll(/^/gm, "> "), lines.slice(3).join("\n"), lines.slice(0, 6).join("\n")];
      const found = texts.flatMap((text) => codesIn(`Your code is 804219.\n\nThe file:\n\n${text}\nBye`));
      expect(found).toEqual(["804219", "804219", "804219", "804219"]);
    }
  });

  it("finds no code in a patch of git, whole, quoted and its index line alone", () => {
    const patch =
      "diff --git a/door.ts b/door.ts\nindex 587be6b..b77b4eb 100644\n--- a/door.ts\n+++ b/door.ts\n@@ -1,2 +1,2 @@\n const code =\n-  482913;\n+  482914;\n";
    const index = "index 587be6b..b77b4eb 100644";
    const texts = [patch, patch.replaceAll("\n", "\r\n"), patch.replaceAll(/^/gm, "> "), index, `> ${index}`];
    expect(texts.flatMap(codesIn)).toEqual([]);
    expect(texts.flatMap((text) => codesIn(`${text}\n\nYour code is 804219`))).toEqual(texts.map(() => "804219"));
  });

  it("finds no code in armour of PGP", () => {
    const armour =
      "-----BEGIN PGP SIGNATURE-----\nVersion: GnuPG v2\n\niQEzBAABCAAdFiEE\nX8K2P9QZ\n=njU4\n-----END PGP SIGNATURE-----";
    expect(codesIn(`Your verification code:\n\n${armour}\n\nYour code is 804219`)).toEqual(["804219"]);
    expect(codesIn("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nYour code is 804219")).toEqual(["804219"]);
  });
});

it.each([
  "begin 2026 with us\nYour code is 804219",
  "begin 644 a\nYour code is 804219",
  "begin 644 a\nYOUR CODE IS 804219",
  "-----BEGIN OFFER-----\nYour code is 804219",
])("keeps the code in %j", (text) => {
  expect(codesIn(text)).toEqual(["804219"]);
});

it("takes linear time, and keeps the number of lines of any text", () => {
  for (const unit of ["begin 644 a\n", "M\n", "> ".repeat(8), `M${"A".repeat(60)}\n`, "-----BEGIN A"]) {
    expectLinearCpu((size) => withoutEncodedBlocks(unit.repeat(size)), 4000);
  }
  const line = fc.oneof(fc.constantFrom("begin 644 a", "end", "M".repeat(61), "-----BEGIN X-----"), fc.string());
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const text = lines.join("\n");
      expect(withoutEncodedBlocks(text).split("\n").length).toBe(text.split("\n").length);
    }),
  );
});
