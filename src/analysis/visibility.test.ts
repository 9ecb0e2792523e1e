import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanHtml } from "./html-scanner.ts";
import { type Visibility, VisibilityReader } from "./visibility.ts";

function visibilityOf(html: string): Visibility {
  const reader = new VisibilityReader();
  const seen: Visibility[] = [];
  scanHtml(html, { text: () => {}, open: (tag) => seen.push(reader.visibilityOf(tag)), close: () => {} });
  return seen[0] ?? null;
}

describe("hidden", () => {
  test.each([
    "<p hidden>",
    '<p hidden="until-found">',
    "<template>",
    '<p style="display:none">',
    '<p style="color:red; DISPLAY : NONE !important">',
    '<p style="visibility:hidden">',
    '<p style="opacity:0">',
    '<p style="opacity: 0.0;">',
    '<p style="max-height:0px;overflow:hidden">',
    '<p style="max-width:0">',
    '<p style="height:0;overflow:hidden">',
    '<p style="overflow:hidden;width:0px">',
    '<p style="display&#58;none">',
  ])("%s", (html) => {
    expect(visibilityOf(html)).toBe("hidden");
  });
});

describe("not hidden", () => {
  test.each([
    "<p>",
    '<p style="">',
    '<p style="display:block">',
    '<p style="opacity:0.9">',
    '<p style="opacity:.5">',
    '<p style="max-height:0.5em">',
    '<p style="max-width:600px">',
    '<p style="height:0">',
    '<p style="border:none;text-decoration:none">',
    '<p style="mso-hide:all">',
    '<p style="x-display:none">',
    '<p aria-hidden="true">',
  ])("%s", (html) => {
    expect(visibilityOf(html)).toBeNull();
  });
});

describe("font size", () => {
  test.each<[string, Visibility]>([
    ['<td style="font-size:0">', "tiny"],
    ['<td style="font-size:0px;padding:0">', "tiny"],
    ['<td style="padding:0;font-size:13px">', "sized"],
    ['<td style="font-size:0.9em">', "sized"],
    ['<td style="font:14px Arial">', "sized"],
    ['<td style="font-family:Arial;padding:0">', null],
  ])("%s", (html, expected) => {
    expect(visibilityOf(html)).toBe(expected);
  });
});

test("reads a style in the same way after any other styles", () => {
  const styles = ["", "display:none", "font-size:0", "font-size:13px", "color:red", "display:nonf", "opacity:0"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...styles), { maxLength: 12 }), (written) => {
      const reader = new VisibilityReader();
      const seen: Visibility[] = [];
      const tags = written.map((style) => `<p style="${style}">`);
      scanHtml(tags.join("<b>"), {
        text: () => {},
        open: (tag) => tag.name === "p" && seen.push(reader.visibilityOf(tag)),
        close: () => {},
      });
      expect(seen).toEqual(tags.map(visibilityOf));
    }),
  );
});
