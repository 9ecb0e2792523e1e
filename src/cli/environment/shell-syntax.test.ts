import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { settingLines, shells, type Variable } from "./shell-syntax.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

const hostile = [
  "it's",
  "$(touch x)",
  "`x`",
  "a b",
  '"',
  "\\",
  "\\'",
  "%PATH%",
  "!!",
  "$env:X",
  "\u2019; x",
  "\n",
  "é…",
  "-n",
  "~",
];

const value = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.array(fc.constantFrom(...hostile), { maxLength: 5 }).map((parts) => parts.join("")),
);
const anyValue = value.filter((text) => !text.includes("\0") && text.isWellFormed());

test("sh reads back every value unchanged", () => {
  fc.assert(
    fc.property(fc.array(anyValue, { minLength: 1, maxLength: 20 }), (values) => {
      const variables = values.map((text, at): Variable => [`V${at}`, text]);
      const print = values.map((_, at) => `printf '%s\\0' "$V${at}"`).join("\n");
      const script = `${settingLines("sh", variables)}${print}`;
      const out = execFileSync("sh", ["-c", `eval "$1"`, "sh", script], { encoding: "utf8", env: {} });
      expect(out.split("\0").slice(0, -1)).toEqual(values);
    }),
    { numRuns: 40 },
  );
});

/** Decodes a quoted value by the rules in the manual of the shell. */
const readers = {
  fish: (text: string) => text.replaceAll(/\\([\\'])/g, "$1"),
  powershell: (text: string) => text.replaceAll(/(['\u2018-\u201b])\1/g, "$1"),
};

describe.each([
  ["fish", /^set -gx V '((?:[^'\\]|\\['\\])*)'\n$/u, readers.fish],
  ["powershell", /^\$env:V = '((?:[^'\u2018-\u201b]|(['\u2018-\u201b])\2)*)'\n$/u, readers.powershell],
] as const)("%s", (shell, form, read) => {
  test("reads back every value unchanged, in one pair of quotes", () => {
    fc.assert(
      fc.property(anyValue, (text) => {
        const quoted = form.exec(settingLines(shell, [["V", text]]))?.[1];
        expect(quoted).toBeDefined();
        expect(read(quoted ?? "")).toBe(text);
      }),
    );
  });
});

test.each(shells)("%s has a line for each variable", (shell) => {
  expect(
    settingLines(shell, [
      ["A", "1"],
      ["B", "2"],
    ]),
  ).toMatch(/^[^\n]*A[^\n]*1[^\n]*\n[^\n]*B[^\n]*2[^\n]*\n$/);
});
