import { expect, test } from "vitest";
import { trim, trimEnd } from "./trim.ts";

test.each([
  ["<<a>b>>", "<>", ["a>b", "<<a>b"]],
  ["", "<>", ["", ""]],
  [">>", "<>", ["", ""]],
  ["ab", "", ["ab", "ab"]],
])("removes the characters at the ends of %j", (text, characters, trimmed) => {
  expect([trim(text, characters), trimEnd(text, characters)]).toEqual(trimmed);
});
