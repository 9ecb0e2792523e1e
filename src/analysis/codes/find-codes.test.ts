import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test, it } from "vitest";
import { expectLinearCpu } from "../../testing/cpu-growth.test-aid.ts";
import { analyseHtml } from "../analyse-html.ts";
import { candidateCountMax, codeCountMax, codeTextLengthMax } from "../bounds.ts";
import { findCodes, findCodesOfTexts, TooManyCandidates, withoutEncodedBlocks } from "./find-codes.ts";

interface Example {
  readonly name: string;
  readonly codes: readonly string[];
  readonly body: string;
}

/** Reads blocks of `### name => code, code` with the body below. */
function examplesOf(file: string): Example[] {
  const text = readFileSync(new URL(`fixtures/${file}`, import.meta.url), "utf8");
  return text
    .split(/^### /m)
    .slice(1)
    .map((block) => {
      const [heading = "", ...lines] = block.split("\n");
      const [name = "", codes = ""] = heading.split(" => ");
      return { name, codes: codes === "" ? [] : codes.split(", "), body: lines.join("\n").trim() };
    });
}

const valuesOf = (text: string): string[] => findCodes(text).map(({ value }) => value);

function htmlOf(body: string): string {
  const escaped = body.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const paragraphs = escaped.split(/\n{2,}/).map((paragraph) => `<p>${paragraph.replaceAll("\n", "<br>\n")}</p>`);
  return `<html><head><style>p{color:#482910}</style></head><body>${paragraphs.join("\n")}</body></html>`;
}

const tuned = examplesOf("messages.txt");
// Each was written before the finder first ran on it and has not changed since. The finder was tuned afterwards, so
// the shares below are a guard against regressions, not an estimate for unknown messages.
const heldOut = ["held-out.txt", "held-out-2.txt", "held-out-3.txt", "held-out-4.txt"].flatMap(examplesOf);

describe("messages of many languages", () => {
  test.each(tuned.map((example) => [example.name, example] as const))("%s", (_, { body, codes }) => {
    expect(valuesOf(body)).toEqual(codes);
  });
});

describe("held-out messages", () => {
  const listed = heldOut.flatMap(({ body, codes }) => valuesOf(body).map((value) => codes.includes(value)));
  const expected = heldOut.flatMap(({ body, codes }) => codes.map((code) => valuesOf(body).includes(code)));
  const page = readFileSync(new URL("../../../docs/reference/message.md", import.meta.url), "utf8");

  test.each([
    ["of 100 listed codes are codes", listed],
    ["of 100 codes are listed", expected],
  ])("yield at least as many %s as message.md documents", (claim, hits) => {
    const documented = Number(new RegExp(`at least (\\d+) ${claim}`).exec(page)?.[1]);
    expect(documented).toBeGreaterThan(90);
    expect(hits.length).toBeGreaterThan(100);
    expect((hits.filter(Boolean).length / hits.length) * 100).toBeGreaterThanOrEqual(documented);
  });
});

describe("HTML and text of the same message agree", () => {
  test.each([...tuned, ...heldOut].map((example) => [example.name, example.body] as const))("%s", (_, body) => {
    expect(analyseHtml(htmlOf(body)).codes).toEqual(findCodes(body));
  });
});

test.each([
  ["Your headset speaks L2CAP"],
  ["New in this release: H264, AES256GCM and UTF16LE"],
  ["Sign in with WPA3PSK"],
  ["L2CAP"],
  ["The verification code uses SHA256"],
])("findCodes takes no name of a standard for a code: %s", (text) => {
  expect(valuesOf(text)).toEqual([]);
});

describe("findCodes returns a code as a person would type it", () => {
  test.each([
    ["Your code is 804 219", "804219"],
    ["Your code is 804\u00a0219", "804219"],
    ["Your code is 118-402", "118402"],
    ["Your code is 118\u2011402", "118402"],
    ["Your code is 118–402", "118402"],
    ["Your code is 6 0 1 9 2 8", "601928"],
    ["Your code is 6-0-1-9-2-8", "601928"],
    ["Your code is 80 42 19", "804219"],
    ["Your code is 8042 1977", "80421977"],
    ["Your code is G-482913", "482913"],
    ["Your code is X7K9QZ", "X7K9QZ"],
    ["Your code is 4F7-K2P", "4F7-K2P"],
    ["Your code is x7k9qz", "x7k9qz"],
    ["Your code is HKWPTZ", "HKWPTZ"],
    ["Your code is ８０４２１９", "804219"],
    ["Your code is ٨٠٤٢١٩", "804219"],
    ["Your code is *804219*", "804219"],
    ["Your code is __804219__", "804219"],
    ["Your code is 804219.Do not share it", "804219"],
    ["Your code:804219", "804219"],
    ["Your code=804219", "804219"],
    ["Your code-804219", "804219"],
    ["Your code is 80\u200b4219", "804219"],
    ["Your code is <804219>", "804219"],
    ["Password/PIN:4821", "4821"],
  ])("%j is %s", (text, expected) => {
    expect(valuesOf(text)).toEqual([expected]);
  });
});

describe("findCodes ignores other numbers, even directly after the word code", () => {
  test.each([
    "Your code is 123",
    "Your code is 12345678901",
    "Your code is #a1b2c3",
    "Your code is 10.4.2",
    "Your code is 192.168.14.30",
    "Your code is 20.11.2026",
    "Your code is 2026-11-20",
    "Your code is 10:42:07",
    "Your code is 1,234.50",
    "Your code costs 4821 EUR",
    "Your code costs $4821",
    "Your code costs 4821 €",
    "Your code is valid for 1440 minutes",
    "Your code is +49 30 1234567",
    "Your code is 3f2a9c1e-77b0-4d1a-9f10-aa12bb34cc56",
    "Your code is IMG_482910",
    "Your code is 482910.pdf",
    "Your code is at example.com/482910",
    "Your code is a482910@x.example",
    "Your code is 482910@x.example",
    "Your code is REQUIRED NOW",
    "Your code ****4821",
  ])("%j", (text) => {
    expect(valuesOf(text)).toEqual([]);
  });
});

describe("findCodes decides by the words beside a number", () => {
  test.each<[string, string[]]>([
    ["Your code for order 55120 is 804219.", ["804219"]],
    ["PIN for your order: 271828", ["271828"]],
    ["Código de pedido: 5582910", []],
    ["Order code 5582910", []],
    ["Parcel PIN 5582", ["5582"]],
    ["Your order 5582910 is ready. Your code is 804219.", ["804219"]],
    ["Codes: 11223344, 55667788 and 99001122", ["11223344", "55667788", "99001122"]],
    ["Your code is 804219. 150000 others use it too.", ["804219"]],
    ["Use code WINTER20 for 20% off", []],
    ["Rabattcode: WINTER20", []],
    ["Bestätigungscode: WX20K", ["WX20K"]],
  ])("%j", (text, expected) => {
    expect(valuesOf(text)).toEqual(expected);
  });
});

describe("origin-bound codes", () => {
  test("are found on the last line without a label", () => {
    expect(valuesOf("Hei!\n\n@login.example #4821")).toEqual(["4821"]);
    expect(valuesOf("Hei!\n\n@login.example #48af21 %ecommerce.example")).toEqual(["48af21"]);
  });

  test("are ignored elsewhere", () => {
    expect(valuesOf("@login.example #4821\n\nHei!")).toEqual([]);
  });
});

const rows = (count: number): string =>
  Array.from({ length: count }, (_, row) => `Your code is ${100_001 + row}.`).join("\n");

describe("findCodesOfTexts", () => {
  test("returns the codes of all texts in order, each once", () => {
    const texts = ["Your code is 804219.\nPIN: 4821", "", "PIN: 4821\nYour code is 118402.\nYour code is 804219."];
    expect(findCodesOfTexts(texts, Infinity)).toEqual(["804219", "4821", "118402"]);
  });

  test("returns the codes that findCodes finds in each text", () => {
    const cues = ["Your code is ", "PIN: ", "Order ", "Use code ", "coupon ", "\n@login.example #4821"];
    const words = ["804219", "4821", "118 402", "SAVE20", "HKWPTZ", "XKCD", "2026", "https://a.example/482910 "];
    const fragment = fc.constantFrom(...cues, ...words, " ", ". ", "\n", "–");
    const text = fc.array(fragment, { maxLength: 40 }).map((fragments) => fragments.join(""));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 3 }), (texts) => {
        expect(findCodesOfTexts(texts, Infinity)).toEqual([...new Set(texts.flatMap(valuesOf))]);
      }),
    );
  });

  test("counts a code of an earlier text towards the codes of the text that repeats it", () => {
    const texts = ["Your code is 100001.", rows(codeCountMax + 1)];
    expect(findCodesOfTexts(texts, Infinity)).toEqual(valuesOf(rows(codeCountMax)));
  });

  test("returns null when one text has more words with the form of a code than allowed", () => {
    expect(findCodesOfTexts([rows(3), rows(3)], 3)).toEqual(["100001", "100002", "100003"]);
    expect(() => findCodesOfTexts([rows(3), rows(4)], 3)).toThrow(TooManyCandidates);
  });
});

describe("limits", () => {
  test(`lists ${codeCountMax} codes and omits the next one`, () => {
    expect(findCodes(rows(codeCountMax))).toHaveLength(codeCountMax);
    expect(findCodes(rows(codeCountMax + 1))).toHaveLength(codeCountMax);
  });

  test(`evaluates ${candidateCountMax} candidates and ignores the next one`, () => {
    const before = (count: number): string => `${"Order 482910.\n".repeat(count)}\nYour code is 804219.`;
    expect(valuesOf(before(candidateCountMax - 1))).toEqual(["804219"]);
    expect(valuesOf(before(candidateCountMax))).toEqual([]);
  });

  test(`finds a code within ${codeTextLengthMax} code units and ignores later ones`, () => {
    const code = "Your code is 804219";
    const before = (length: number): string => `${"a ".repeat(length / 2)}\n`.slice(-length);
    expect(valuesOf(before(codeTextLengthMax - code.length) + code)).toEqual(["804219"]);
    expect(valuesOf(before(codeTextLengthMax) + code)).toEqual([]);
  });
});

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
