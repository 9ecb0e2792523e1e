import { expectLinearCpu } from "../../../src/testing/cpu-growth.test-aid.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { highlightSource, type SourceToken } from "./source-lines.tsx";
import { codePoint } from "../../../src/testing/code-point.test-aid.ts";

const kinds = (line: readonly SourceToken[] | undefined): readonly string[] =>
  line?.map(({ kind, text }) => `${kind}:${text}`) ?? [];

describe("highlightSource", () => {
  const source = [
    "Subject: =?utf-8?q?caf=C3=A9?= now",
    "To: <a@b.example>",
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "Note: this is text",
    "--b",
    "Content-Type: text/html",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    '<p class=3D"x">caf=C3=A9</p>',
    "VGhpcyBpcyBiYXNlNjQgYW5kIGxvbmcgZW5vdWdoIHRvIGJl",
    "--b--",
    "after: all",
  ].join("\r\n");
  const lines = highlightSource(source);

  test("marks field names in header sections only", () => {
    expect(kinds(lines[0])).toEqual(["name:Subject:", "plain: ", "encoded:=?utf-8?q?caf=C3=A9?=", "plain: now"]);
    expect(kinds(lines[4])).toEqual(["plain:Note: this is text"]);
    expect(kinds(lines[6])[0]).toBe("name:Content-Type:");
    expect(kinds(lines[12])).toEqual(["plain:after: all"]);
  });

  test("marks boundaries, tags and encoded text", () => {
    expect(kinds(lines[5])).toEqual(["boundary:--b"]);
    expect(kinds(lines[9]).map((text) => text.split(":")[0])).toEqual(["tag", "plain", "encoded", "tag"]);
    expect(kinds(lines[10])[0]).toMatch(/^encoded:/);
  });
});

test("marks octets in text that is encoded as quoted-printable only", () => {
  const link = "https://shop.example/?id=14 <b>";
  const [field, , plain, , , , octets] = highlightSource(
    `Content-Type: multipart/mixed; boundary="=14"\n\n${link}\n--b\nContent-Transfer-Encoding: quoted-printable\n\n${link}`,
  );
  expect(kinds(field)).toEqual(["name:Content-Type:", 'plain: multipart/mixed; boundary="=14"']);
  expect(kinds(plain)).toEqual(["plain:https://shop.example/?id=14 ", "tag:<b>"]);
  expect(kinds(octets)).toEqual(["plain:https://shop.example/?id", "encoded:=14", "plain: ", "tag:<b>"]);
});

test("keeps every character of any source", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 300 }), (source) => {
      const joined = highlightSource(source).map((line) => line.map(({ text }) => text).join(""));
      expect(joined).toEqual(source.split(/\r\n|\n|\r/));
    }),
  );
});

test("takes time linear in the source", () => {
  const header = "Content-Transfer-Encoding: quoted-printable\n\n";
  for (const unit of ["<a", "=?a?q?", "A", "=41", "x:"]) {
    expectLinearCpu((size) => {
      expect(highlightSource(unit.repeat(size / unit.length))).toHaveLength(1);
      expect(highlightSource(header + unit.repeat(size / unit.length))).toHaveLength(3);
    }, 60_000);
  }
});
