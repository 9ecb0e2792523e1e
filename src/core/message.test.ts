import fc from "fast-check";
import { expect, test } from "vitest";
import { summaryContactCountMax, summaryContactsLengthMax } from "./limits.ts";
import { type Contact, mayBeCut, summaryContacts } from "./message.ts";

const contact = (name: string, email: string): Contact => ({ name, email, phone: null });
const lengthOf = (contacts: readonly Contact[]): number =>
  contacts.reduce((sum, { name, email }) => sum + name.length + (email?.length ?? 0), 0);

test("summaryContacts returns the contacts themselves within the limits", () => {
  const contacts = [contact("Ann", "ann@x.test"), { name: "", email: null, phone: "15550100" }];
  expect(summaryContacts(contacts)).toEqual(contacts);
  expect(mayBeCut(contacts)).toBe(false);
});

test("summaryContacts cuts a name or an address longer than half of the limit, and keeps the contacts before and after it", () => {
  const half = summaryContactsLengthMax / 2;
  const long = contact("n".repeat(2 * half), "long@x.test");
  const summary = summaryContacts([contact("", "a@x.test"), long, contact("", "b@x.test")]);
  expect(summary.map(({ email }) => email)).toEqual(["a@x.test", "long@x.test", "b@x.test"]);
  expect(lengthOf(summary.slice(1, 2))).toBe(half);
  expect(lengthOf(summaryContacts([contact("name", "e".repeat(2 * half))]))).toBe(half);
  expect(summaryContacts([contact("😀".repeat(half), "a@x.test")])[0]?.name).toMatch(/^(?:😀)+$/u);
});

test("a field is recognised as cut whenever it lacks a character of the contacts", () => {
  const size = fc.oneof(fc.nat(50), fc.nat(2 * summaryContactsLengthMax));
  const text = fc.tuple(size, fc.constantFrom("n", "😀")).map(([length, character]) => character.repeat(length));
  const contacts = fc.array(
    fc.tuple(text, text).map(([name, email]) => contact(name, email)),
    { maxLength: 5, size: "max" },
  );
  fc.assert(
    fc.property(
      fc.array(contacts, { maxLength: 30 }).map((lists) => lists.flat()),
      (all) => {
        const summary = summaryContacts(all);
        expect(summary.length).toBeLessThanOrEqual(summaryContactCountMax);
        expect(lengthOf(summary)).toBeLessThanOrEqual(summaryContactsLengthMax);
        expect(lengthOf(summary) === lengthOf(all) || mayBeCut(summary)).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});
