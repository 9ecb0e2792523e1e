import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linkImages, rewriteText, withCrlf, type Replacement } from "./rewrite-text.ts";

function rewritten(slices: readonly string[], replacement: Replacement): string {
  return Buffer.concat([
    ...rewriteText(
      slices.map((slice) => Buffer.from(slice)),
      replacement,
    ),
  ]).toString();
}

describe("rewriteText", () => {
  test("writes what a replacement in the whole text gives, wherever slices end", () => {
    const piece = fc.constantFrom(
      "\n",
      "\r\n",
      'src="cid:',
      "a@b",
      '"',
      "cid:",
      "=",
      " ",
      "€",
      "cid:ä&amp;b",
      "x".repeat(300),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const addresses = new Map([
          ["a@b", "/one"],
          ["ä&b", "/two"],
        ]);
        const whole = pieces.join("");
        const slices = pieces.map((one) => Buffer.from(one));
        expect(Buffer.concat([...withCrlf(slices)]).toString()).toBe(whole.replaceAll("\n", "\r\n"));
        expect(rewritten(pieces, linkImages(addresses))).toBe(rewritten([whole], linkImages(addresses)));
      }),
    );
  });

  test("links images by their Content-IDs, and leaves other references", () => {
    const addresses = new Map([["ä&b", "/two"]]);
    const html = `<img src="cid:Ä&amp;B"><img src='cid:other'><p>cid:ä</p>`;
    expect(rewritten([html], linkImages(addresses))).toBe(`<img src="/two"><img src='cid:other'><p>cid:ä</p>`);
  });

  test("links a thousand images of a page", () => {
    const html = "<img src=cid:a>".repeat(1001);
    const linked = rewritten([html], linkImages(new Map([["a", "/x"]])));
    expect(linked.split("cid:")).toHaveLength(2);
  });
});
