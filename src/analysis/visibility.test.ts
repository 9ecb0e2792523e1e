import { describe, expect, test } from "vitest";
import { scanHtml } from "./html-scanner.ts";
import { type Visibility, visibilityOf } from "./visibility.ts";

/** Returns the visibility of the first element of `html`. */
function readVisibility(html: string): Visibility {
  const seen: Visibility[] = [];
  scanHtml(html, { text: () => {}, open: (tag) => seen.push(visibilityOf(tag)), close: () => {} });
  return seen[0] ?? null;
}

describe("hidden", () => {
  test.each([
    "<p hidden>",
    '<p hidden="until-found">',
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
    '<p style="display:\tNone">',
    '<p style="Visibility : Collapse">',
    '<p style="MAX-HEIGHT:0">',
    '<p style="OVERFLOW : HIDDEN; WIDTH : 0">',
    `<p style="${" ".repeat(4084)}display:none">`,
  ])("%s", (html) => {
    expect(readVisibility(html)).toBe("hidden");
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
    '<p style="overflow:hidden">',
    '<p style="x:hidden;y:none;z:0">',
    `<p style="${" ".repeat(4085)}display:none">`,
  ])("%s", (html) => {
    expect(readVisibility(html)).toBeNull();
  });
});

describe("font size", () => {
  test.each<[string, Visibility]>([
    ['<td style="font-size:0">', "tiny"],
    ['<td style="FONT-SIZE : 0PX">', "tiny"],
    ['<td style="FONT:14px Arial">', "sized"],
    ['<td style="font-size:13px;text-decoration:none">', "sized"],
    ['<td style="font-size:0px;padding:0">', "tiny"],
    ['<td style="padding:0;font-size:13px">', "sized"],
    ['<td style="font-size:0.9em">', "sized"],
    ['<td style="font:14px Arial">', "sized"],
    ['<td style="font-family:Arial;padding:0">', null],
  ])("%s", (html, expected) => {
    expect(readVisibility(html)).toBe(expected);
  });
});
