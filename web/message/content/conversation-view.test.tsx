import fc from "fast-check";
import { expect, test } from "vitest";
import { splitQuoted } from "./conversation-view.tsx";

test.each([
  ["Hello there.\r\n", "Hello there.", ""],
  ["Now.\r\n\r\nOn Friday, Mara wrote:\r\n> When?\r\n> Soon?\r\n", "Now.", "On Friday, Mara wrote:\n> When?\n> Soon?"],
  ["Now.\n\n> When?\n\n> Soon?\n\n", "Now.", "> When?\n\n> Soon?"],
  ["> When?\nNow.", "> When?\nNow.", ""],
  ["> When?", "", "> When?"],
  ["", "", ""],
])("splits %j into %j and the quotation %j", (text, own, quoted) => {
  expect(splitQuoted(text)).toEqual({ own, quoted });
});

test("keeps every visible character", () => {
  const visible = (text: string): string => text.replaceAll(/\s/g, "");
  fc.assert(
    fc.property(fc.array(fc.constantFrom("> a", ">", "b", "On x:", "", "  ")), (lines) => {
      const { own, quoted } = splitQuoted(lines.join("\n"));
      expect(visible(own + quoted)).toBe(visible(lines.join("")));
    }),
  );
});
