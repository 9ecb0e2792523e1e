import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { highlightHtml } from "./html-lines.tsx";

const open = new AbortController().signal;

test("tells tags, attributes, values and comments apart, in styles too", async () => {
  const lines = await highlightHtml(`<p title="a">Hi</p>\n<!-- note -->\n<style>p { color: red }</style>`, open);
  const kinds = lines.map((line) => line.filter(({ kind }) => kind !== "plain").map(({ kind, text }) => [kind, text]));
  expect(kinds[0]).toEqual([
    ["tag", "<"],
    ["tag", "p"],
    ["attribute", "title"],
    ["boundary", '"a"'],
    ["tag", ">"],
    ["tag", "</"],
    ["tag", "p"],
    ["tag", ">"],
  ]);
  expect(kinds[1]).toEqual([["encoded", "<!-- note -->"]]);
  expect(kinds[2]).toContainEqual(["attribute", "color"]);
});

test("keeps every character and line of any text", async () => {
  const piece = fc.constantFrom(
    "<p",
    ">",
    "</",
    "style>",
    "<!--",
    "-->",
    '"',
    "=",
    " ",
    "\n",
    "\r\n",
    "é",
    "{",
    "&amp;",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece), async (pieces) => {
      const html = pieces.join("");
      const lines = await highlightHtml(html, open);
      const text = lines.map((line) => line.map((token) => token.text).join("")).join("\n");
      expect(text).toBe(html.replaceAll("\r\n", "\n"));
    }),
    { numRuns: 50 },
  );
});

test("gives way to other work, and ends when it is no longer needed", async () => {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
  const ended = new AbortController();
  const highlighting = highlightHtml("<p>one<p>two", ended.signal);
  ended.abort();
  await expect(highlighting).rejects.toThrow("aborted");
  clock.mockRestore();
});
