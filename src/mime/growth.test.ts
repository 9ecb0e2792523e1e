import { describe, expect, it } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { decodeBytes, decodedLength, joinTexts } from "./body-content.ts";
import { parseMail } from "./parse-mail.ts";

/** Limits that never apply, so that the algorithms are measured and not their limits. */
const unlimited = { headerBytesMax: 1e9, headerCountMax: 1e9, partCountMax: 1e9, partDepthMax: 1e9 };
const multipart = "Content-Type: multipart/mixed; boundary=b\r\n\r\n";

/** Prefix of a mail and the unit that is repeated after it. */
const floods: readonly (readonly [name: string, prefix: string, unit: string])[] = [
  ["parts", multipart, "--b\r\n\r\nx\r\n"],
  ["header fields", "", "X-A: b\r\n"],
  ["header lines without colon", "", "garbage\r\n"],
  [
    "header lines without colon between common fields",
    "Content-Type: a/b; boundary=c\r\n",
    "garbage\r\n--d\r\nX-A: b\r\n",
  ],
  ["header fields that begin like boundaries", "X-A: b\r\n", "--c: d\r\n"],
  ["one header line", "Subject: ", "aaaaaaaaaaaa"],
  ["one body line", "\r\n", "aaaaaaaaaaaa"],
  ["folds", "Subject: x", "\r\n "],
  ["carriage returns in a field", "Subject: x", "\r"],
  ["dash lines", multipart, "--\n"],
  ["dashes", multipart, "-"],
  ["lines that begin as the boundary does", "Content-Type: multipart/mixed; boundary=bbbb\r\n\r\n", "--bbb\n"],
  ["blanks after a boundary", `${multipart}--c`, "    "],
  ...["=?utf-8?", "=?utf-8?Q?x", "=?utf-8?B?x ", "=?u?q?=?=", "=?="].map(
    (unit) => [`${unit} in Subject`, "Subject: ", unit] as const,
  ),
  ...[
    "(",
    "<",
    ",",
    '"',
    "@",
    ":",
    ";",
    "[",
    "\\",
    "a<",
    'a"',
    "(\\",
    "a@b ",
    '" "',
    "a  b",
    '<"',
    '<\\"',
    ". ",
    ".",
    " @",
    "a:",
    "=?utf-8?Q?x",
  ].map((unit) => [`${unit} in To`, "To: ", unit] as const),
  ...[";", "a=;", 'a="', "(", "a=(", "a*0=x;", '="\\"', "a*="].map(
    (unit) => [`${unit} in Content-Type`, "Content-Type: text/plain;", unit] as const,
  ),
  ["message ids", "References: ", "<a"],
  ["digits in Date", "Date: ", "1"],
  ["comments in Date", "Date: ", "("],
  ["quoted-printable soft breaks", "Content-Transfer-Encoding: quoted-printable\r\n\r\n", "= "],
  ["quoted-printable blanks", "Content-Transfer-Encoding: quoted-printable\r\n\r\n", " "],
  ["quoted-printable escapes and line ends", "Content-Transfer-Encoding: quoted-printable\r\n\r\n", "=3D \r\n=\r\n"],
  ["base64 padding", "Content-Transfer-Encoding: base64\r\n\r\n", "=A"],
  ["uuencode lines", "Content-Transfer-Encoding: x-uuencode\r\n\r\n", "#0V%T\n"],
  ["uuencode begins", "Content-Transfer-Encoding: x-uuencode\r\n\r\n", "\nbegin "],
  ["flowed lines", "Content-Type: text/plain; format=flowed\r\n\r\n", "> a \n"],
  ["bare CRs in a body", "\r\nx\n", "\r"],
  ["lines like a boundary", multipart, "--bx\r\n"],
  ["uuencoded lines without their blanks", "Content-Transfer-Encoding: x-uuencode\r\n\r\n", "M\n"],
  ["flowed quotes", "Content-Type: text/plain; format=flowed\r\n\r\n", ">\n"],
  ["UTF-7 shifts", "Content-Type: text/plain; charset=utf-7\r\n\r\n", "+AOk-"],
  ["ISO-2022-JP shifts", "Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n", "\u001b(B"],
  ["ISO-2022-KR escapes", "Content-Type: text/plain; charset=iso-2022-kr\r\n\r\n", "\u001b"],
  ["malformed UTF-8", "Content-Type: text/plain; charset=utf-8\r\n\r\n", "\u00ff"],
  ["hz commands", "Content-Type: text/plain; charset=hz-gb-2312\r\n\r\n", "~{~"],
];

/** Excess in milliseconds that a busy machine cannot cause. */
const excessMsMax = 1000;

/** Returns the CPU milliseconds that parsing and decoding the whole mail `count` times takes. */
function cost(raw: Buffer, count: number): number {
  const before = process.threadCpuUsage();
  for (let round = 0; round < count; round += 1) {
    const mail = parseMail(raw, unlimited);
    joinTexts(raw, mail.textParts);
    for (const part of mail.attachments) expect(decodedLength(raw, part)).toBe(decodeBytes(raw, part).length);
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Compares sixteen mails with one mail of the same total length. A linear algorithm takes the same time for both, a
 * quadratic one sixteen times as long; a factor of five is allowed. A busy machine can distort one comparison but
 * hardly six, and it cannot make a quadratic algorithm pass.
 */
function expectLinear(build: (size: number) => Buffer): void {
  const [short, long] = [build(16_384), build(262_144)];
  const excess = (): number => cost(long, 1) - (5 * cost(short, 16) + 20);
  let best = excess();
  for (let attempt = 1; attempt < 6 && best > 0 && best < excessMsMax; attempt += 1) best = Math.min(best, excess());
  expect(best).toBeLessThanOrEqual(0);
}

const flood = (prefix: string, unit: string) => (size: number) =>
  Buffer.from(prefix + unit.repeat(Math.ceil(size / unit.length)), "latin1");

describe("parsing", () => {
  it.each(floods)("takes time linear in the number of %s", (_name, prefix, unit) => {
    expectLinear(flood(prefix, unit));
  });

  it("takes time linear in the number of nested multiparts", () => {
    expectLinear((size) => {
      const count = Math.ceil(size / 60);
      const levels = Array.from(
        { length: Math.min(count, 3000) },
        (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
      );
      return Buffer.from(levels.join(""));
    });
  });

  it("numbered continuations, with and without gaps", () => {
    for (const step of [1, 2]) {
      expectLinear((size) => {
        const segments = Array.from({ length: Math.ceil(size / 10) }, (_, index) => `n*${index * step}*=a;`);
        return Buffer.from(`Content-Type: text/plain;${segments.join("\r\n ")}\r\n\r\n`);
      });
    }
  });
});

describe("under the default limits", () => {
  it.each([
    ["50,000 parts", multipart + "--b\r\n\r\nx\r\n".repeat(50_000), "too_many_parts"],
    [
      "3,000 nested multiparts",
      Array.from(
        { length: 3000 },
        (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
      ).join(""),
      "too_deep",
    ],
    ["200,000 header lines", `${"X-A: b\r\n".repeat(200_000)}\r\nx`, "too_many_header_fields"],
    ["a header line of 50 MB", `Subject: ${"a".repeat(50_000_000)}\r\n\r\nx`, "header_too_large"],
    ["a million recipients", `To: ${"a@b,".repeat(200_000)}\r\n\r\nx`, "too_many_contacts"],
  ])("%s are parsed up to the limit and reported", (_name, text, defect) => {
    expect(parseMail(Buffer.from(text, "latin1"), defaultLimits).defects).toContain(defect);
  });

  it("returns a body line of 50 MB completely", () => {
    const raw = Buffer.from(`\r\n${"a".repeat(50_000_000)}`, "latin1");
    expect(joinTexts(raw, parseMail(raw, defaultLimits).textParts)?.length).toBe(50_000_000);
  });
});
