import { domainToASCII } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unicodeDomainOf } from "./unicode-domain.ts";

test.each([
  ["kundin@xn--mller-kva.example", "müller.example"],
  ["a@shop.xn--r8jz45g.XN--ZCKZAH", "shop.例え.テスト"],
  ["a@b.example", null],
  ["a@xn--a!.example", null],
  ["a@xn--99999999.example", null],
  ["", null],
])("shows the domain of %s as %j", (address, domain) => {
  expect(unicodeDomainOf(address)).toBe(domain);
});

test("is the domain that the ASCII form was made of", () => {
  const letters = fc.string({
    unit: fc.constantFrom("a", "ü", "ß", "ж", "例", "ア", "3", "😀"),
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(letters, (label) => {
      const ascii = domainToASCII(`${label}.example`);
      return !ascii.includes("xn--") || unicodeDomainOf(`a@${ascii}`) === `${label}.example`;
    }),
  );
});
