import { expect, test } from "vitest";
import { fieldsNamed } from "./tagging.ts";

test("returns the fields of a name in any letter case, in order", () => {
  const headers = ["Reply-To", "To", "REPLY-TO", "reply-to ", "Reply-Tu"].map((field, at) => ({
    field,
    value: `${at}`,
  }));
  expect(fieldsNamed(headers, "reply-to").map(({ value }) => value)).toEqual(["0", "2"]);
});
