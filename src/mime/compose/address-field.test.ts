import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddressList } from "../address-list.ts";
import { addressListText } from "./address-field.ts";
import { displayText } from "./header-text.ts";

describe("addressListText", () => {
  test.each([
    ["", "a@b.example", "a@b.example"],
    ["Ada", "a@b.example", "Ada <a@b.example>"],
    ["Ada  L", "a@b.example", "Ada L <a@b.example>"],
    ["Ada L. O'Neil", "a@b.example", `"Ada L. O'Neil" <a@b.example>`],
    ['Ada "the" \\', "a@b.example", String.raw`"Ada \"the\" \\" <a@b.example>`],
    ["Jörg", "a@b.example", "=?UTF-8?B?SsO2cmc=?= <a@b.example>"],
    ["=?utf-8?q?x?=", "a@b.example", "= ?utf-8?q?x?= <a@b.example>"],
    ["", "a b@b.example", '<"a b"@b.example>'],
    ["", '"a b"@b.example', '<"a b"@b.example>'],
    ["", "a@c@b.example", '<"a@c"@b.example>'],
    ["", "jörg@b.example", "j?rg@b.example"],
    ["", "a@[192.0.2.1]", "<a@[192.0.2.1]>"],
  ])("writes the name %j and the address %j as %s", (name, address, expected) => {
    expect(addressListText([{ name, address }])).toBe(expected);
  });

  test("is read as the same mailboxes for any names", () => {
    const unit = fc.oneof(
      fc.constantFrom('"', "\\", ",", ";", ":", "<", ">", "(", ")", "@", " ", "!", "é", "📨"),
      fc.string(),
    );
    const name = fc.array(unit, { maxLength: 30 }).map((units) => units.join(""));
    const address = fc.constantFrom("a@b.example", "x.y+z@b.example", "o'neil@[192.0.2.1]", '"a, b"@b.example');
    fc.assert(
      fc.property(fc.array(fc.record({ name, address }), { maxLength: 5 }), (mailboxes) => {
        const read = parseAddressList(addressListText(mailboxes));
        expect(read).toEqual(
          mailboxes.map((one) => ({ name: displayText(one.name), email: one.address, phone: null })),
        );
      }),
    );
  });

  test("encodes names that would make a line too long", () => {
    const name = '"'.repeat(400);
    expect(addressListText([{ name, address: "a@b.example" }])).toMatch(/^=\?UTF-8/);
  });
});
