import { expect, test } from "vitest";
import { isEmailAddress, parseMailbox, parseMailboxes } from "./mailbox.ts";

test("isEmailAddress accepts one plain address", () => {
  expect(isEmailAddress("ana@example.test")).toBe(true);
  for (const text of ["", "ana", "Ana <ana@example.test>", "a@b, c@d", "ana@example.test\r\nBcc: x@y"]) {
    expect(isEmailAddress(text)).toBe(false);
  }
});

test("parseMailbox reads one mailbox with or without a name", () => {
  expect(parseMailbox("ana@example.test")).toEqual({ name: "", address: "ana@example.test" });
  expect(parseMailbox('"Silva, Ana" <ana@example.test>')).toEqual({ name: "Silva, Ana", address: "ana@example.test" });
  for (const text of ["", "ana", "a@b.test, c@d.test", "Ana <ana>"]) expect(parseMailbox(text)).toBeUndefined();
});

test("parseMailboxes reads a list and rejects one with an invalid address", () => {
  expect(parseMailboxes("a@b.test, Ürsula <u@b.test>")).toEqual([
    { name: "", address: "a@b.test" },
    { name: "Ürsula", address: "u@b.test" },
  ]);
  expect(parseMailboxes("")).toEqual([]);
  expect(parseMailboxes("a@b.test, nobody")).toBeUndefined();
});
