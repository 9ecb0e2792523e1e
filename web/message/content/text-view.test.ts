import fc from "fast-check";
import { expect, test } from "vitest";
import { linkText } from "./text-view.tsx";

test("splits a text at its links, and opens only safe schemes", () => {
  const text = "See https://a.example/x, www.b.example or javascript:alert(1).";
  const links = ["https://a.example/x", "www.b.example", "javascript:alert(1)"].map((href) => ({ href }));
  expect(linkText(text, links)).toEqual([
    { text: "See ", href: null },
    { text: "https://a.example/x", href: "https://a.example/x" },
    { text: ", ", href: null },
    { text: "www.b.example", href: "https://www.b.example" },
    { text: " or javascript:alert(1).", href: null },
  ]);
});

test("keeps the text where a link of the list is not in it", () => {
  expect(linkText("plain", [{ href: "https://a.example" }])).toEqual([{ text: "plain", href: null }]);
  expect(linkText("", [])).toEqual([]);
});

test("keeps every character, and makes the links clickable, for any text", () => {
  const link = fc.constantFrom("https://a.example/(x)", "www.b.example", "mailto:a@b.example");
  const word = fc.oneof(link, fc.constantFrom("x", "\n", "…", ")"));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const text = words.join(" ");
      const links = words.filter((one) => one.length > 1);
      const parts = linkText(
        text,
        links.map((href) => ({ href })),
      );
      expect(parts.map((part) => part.text).join("")).toBe(text);
      expect(parts.filter(({ href }) => href !== null).map((part) => part.text)).toEqual(links);
    }),
  );
});
