import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearCpu } from "../../testing/cpu-growth.test-aid.ts";
import { normaliseText, normaliseUrl } from "./normalise-text.ts";

const hex = "0123456789abcdef";
const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const characters = (alphabet: string, minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...Array.from(alphabet)), minLength, maxLength });

/** Values that differ between two renderings of one message. */
const volatileValue = {
  "a code of six digits": characters("0123456789", 6),
  "a code in two groups": fc
    .tuple(characters("0123456789", 3), characters("0123456789", 3))
    .map((pair) => pair.join(" ")),
  "a UUID": fc.uuid(),
  "a time": fc
    .date({
      min: new Date(0),
      max: new Date("2099-01-01"),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString()),
  "a date in words": fc
    .date({
      min: new Date("2020-01-01"),
      max: new Date("2029-01-01"),
      noInvalidDate: true,
    })
    .map((date) => date.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" })),
  "a time of day": fc
    .date({
      min: new Date(0),
      max: new Date("2099-01-01"),
      noInvalidDate: true,
    })
    .map((date) => date.toLocaleTimeString("en-GB", { timeZone: "UTC" })),
  "an order number": fc.integer({ min: 100, max: 999_999 }).map((number) => `order #${String(number)}`),
  "a link with a token": characters(hex, 32).map((token) => `https://app.example/confirm?token=${token}`),
  "a tracking link": characters(`${alphanumeric}-_`, 24).map(
    (token) => `https://click.example/ls/click?upn=u001.${token}1-2B`,
  ),
};

const template = (value: string): string => `Dear Ann, here it is: ${value} and thank you for 2 lamps at $12.50.`;

const fragment = fc.oneof(
  fc.constantFrom(
    "https://",
    "http://a.example/",
    "804",
    "219",
    "12:34",
    "-",
    "_",
    " ",
    "/",
    "?",
    "=",
    "&",
    "#",
    "$",
    " EUR",
    "€",
  ),
  fc.constantFrom(
    "order ",
    "May ",
    "5 ",
    "2026",
    "A1b2",
    "am",
    "p.m",
    "@",
    ".",
    ":",
    "nr. ",
    "№",
    "\uFFFC",
    "eyJhbGci",
    "\n",
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  characters(alphanumeric, 1, 12),
);
const anyText = fc.array(fragment, { maxLength: 40 }).map((fragments) => fragments.join(""));

describe("normaliseText", () => {
  test.each(Object.entries(volatileValue))("is insensitive to %s", (_, values) => {
    fc.assert(
      fc.property(values, values, (one, other) => {
        expect(normaliseText(template(one)).text).toBe(normaliseText(template(other)).text);
      }),
    );
  });

  test("is sensitive to words, quantities and amounts", () => {
    const word = characters("abcdefghijklmnopqrstuvwxyz", 2, 9);
    const lines = fc.oneof(
      word,
      fc.integer({ min: 1, max: 999 }).map((count) => `${String(count)} lamps`),
      fc.integer({ min: 1, max: 99_999 }).map((amount) => `$${(amount / 100).toFixed(2)}`),
      fc.integer({ min: 1, max: 99_999 }).map((amount) => `${String(amount)} EUR`),
    );
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const isSame = normaliseText(`You bought ${one}.`).text === normaliseText(`You bought ${other}.`).text;
        expect(isSame).toBe(one === other);
      }),
    );
  });

  test("is idempotent", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = normaliseText(text).text;
        expect(normaliseText(once).text).toBe(once);
      }),
      { numRuns: 300 },
    );
  });

  test("returns one value for each masked value", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { text: shown, values } = normaliseText(text);
        expect(values).toHaveLength(shown.split("\uFFFC").length - 1);
      }),
    );
    expect(
      normaliseText("Order #1001 of 22 November 2026, code 804 219: https://a.example/c/x7k9qz?n=1").values,
    ).toEqual([
      "1001",
      "22 November 2026",
      "804 219",
      "https://a.example/c/x7k9qz?n=1",
      "https://a.example/c/x7k9qz?n=1",
    ]);
  });

  test.each([
    ["GeForce RTX 4090", "GeForce RTX 5090"],
    ["iPhone15", "iPhone16"],
    ["COVID-19", "COVID-20"],
    ["a blue lamp", "a red lamp"],
    ["3 items", "4 items"],
    ["Total: 1 200,00 €", "Total: 1 300,00 €"],
    ["CHF 1200", "CHF 1300"],
    ["https://shop.example/items/blue-lamp", "https://shop.example/items/red-lamp"],
    ["https://a.example/one", "https://b.example/one"],
  ])("distinguishes %s from %s", (one, other) => {
    expect(normaliseText(one).text).not.toBe(normaliseText(other).text);
  });

  test.each([
    ["Your code is X7K9QZ", "Your code is P2M4TB"],
    ["Your code is 4F7-K2P", "Your code is 9B3-M8R"],
    ["Code: G-482913", "Code: G-118402"],
    ["6 0 1 9 2 8", "5 5 1 0 7 3"],
    ["Rechnung Nr. 1001 vom 5. Januar 2026", "Rechnung Nr. 1002 vom 16. Februar 2026"],
    ["Invoice INV-2026-00012", "Invoice INV-2026-00013"],
    ["at 9:59 AM", "at 10:01 a.m"],
    ["Sent 11/22/2026", "Sent 11/23/2026"],
    [
      "https://a.example/verify/eyJhbGciOiJIUzI1NiJ9.eyJzdWIi",
      "https://a.example/verify/eyJhbGciOiJFUzI1NiJ9.eyJhdWQi",
    ],
    ["mail bounce+a1b2c3d4@x.example", "mail bounce+e5f6a7b8@x.example"],
  ])("treats %s like %s", (one, other) => {
    expect(normaliseText(one).text).toBe(normaliseText(other).text);
  });

  test("masks one-time codes that were found in the text, also those of letters or four digits", () => {
    expect(normaliseText("Use KDHXQW now", ["KDHXQW"]).text).toBe(normaliseText("Use WMPLRT now", ["WMPLRT"]).text);
    expect(normaliseText("PIN: 4821.", ["4821"]).text).toBe("PIN: \uFFFC.");
  });

  test.each([
    ["digit groups", "123 "],
    ["separators", "a1-"],
    ["punctuation", "a........ "],
    ["months", "5 May "],
    ["id words", "order nr "],
    ["urls", "https://"],
    ["masked values", "\uFFFC1:2 "],
  ])("takes time linear in the text: %s", (_, unit) => {
    expectLinearCpu((size) => void normaliseText(unit.repeat(size / unit.length)), 4000);
  });
});

describe("normaliseUrl", () => {
  test("is idempotent", () => {
    fc.assert(
      fc.property(anyText, (url) => {
        const once = normaliseUrl(url);
        expect(normaliseUrl(once)).toBe(once);
      }),
    );
  });

  test("keeps words and the names of parameters, and masks everything else", () => {
    expect(normaliseUrl("HTTPS://Shop.Example/en/items/blue-lamp.html?id=17&ref=mail&t=aGVsbG8#top")).toBe(
      "https://shop.example/en/items/blue-lamp.html?id=\uFFFC&ref=mail&t=\uFFFC#top",
    );
    expect(normaliseUrl("mailto:stop+17@a.example")).toBe("mailto:\uFFFC");
  });
});
