import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { elementNameCountMax, openElementCountMax } from "./bounds.ts";
import { OpenElements, type Visibility, visibilityOf } from "./open-elements.ts";
import { scanHtml } from "./html-scanner.ts";

/**
 * Returns whether text is hidden after these tags: `+name` opens, `!name` opens and hides, `~` tiny, `=` sized, `-name`
 * ends.
 */
function hiddenAfter(tags: string): boolean {
  const elements = new OpenElements();
  for (const tag of tags.split(" ")) {
    const name = tag.slice(1);
    if (tag.startsWith("-")) elements.close(name);
    else if (tag.startsWith("!")) elements.open(name, "hidden");
    else if (tag.startsWith("~")) elements.open(name, "tiny");
    else elements.open(name, tag.startsWith("=") ? "sized" : null);
  }
  return elements.hidden;
}

describe("text stays hidden", () => {
  test.each([
    "!div",
    "!div +span",
    "!div +div -div",
    "!div +span -b",
    "!div +table +td -div",
    "!span +span -span",
    "~td",
    "~td =span -span",
    "!div =span",
    "+template",
    "=audio",
  ])("%s", (tags) => {
    expect(hiddenAfter(tags)).toBe(true);
  });
});

describe("text is visible", () => {
  test.each([
    "!div -div",
    "!img",
    "!br",
    "+div !span -div",
    "+table +td !div -td",
    "!p +p",
    "!p +div",
    "+ul !li +li",
    "+ul !li +ul +li -ul -ul",
    "+table +tr !td +td",
    "+table !tr +tr",
    "+table +tr !td +tr",
    "+table +tr +td !div -table",
    "~td =div",
    "~td -td",
    "-div",
  ])("%s", (tags) => {
    expect(hiddenAfter(tags)).toBe(false);
  });
});

test("keeps no trace of elements that have ended", () => {
  const start = fc.tuple(
    fc.constantFrom("+", "!", "~", "="),
    fc.constantFrom("div", "p", "span", "table", "td", "tr", "li", "ul", "br", "template", "x"),
  );
  const starts = fc.array(start, { minLength: 1, maxLength: 8 });
  const write = (tags: (readonly [string, string])[]): string => tags.map((tag) => tag.join("")).join(" ");
  fc.assert(
    fc.property(starts, starts, (ended, open) => {
      const ends = ended.toReversed().map(([, name]) => ["-", name] as const);
      expect(hiddenAfter(write([...ended, ...ends, ...open]))).toBe(hiddenAfter(write(open)));
    }),
  );
});

test("keeps the outer item open when an inner list starts", () => {
  expect(hiddenAfter("+ul !li +ul +li +li")).toBe(true);
});

test("keeps an outer paragraph open when a table contains a paragraph", () => {
  expect(hiddenAfter("!p +table +td +p")).toBe(true);
});

test(`tracks ${openElementCountMax} levels of hidden elements and ignores deeper ones`, () => {
  const elements = new OpenElements();
  for (let depth = 1; depth < openElementCountMax; depth++) elements.open("div", null);
  elements.open("b", "hidden");
  expect(elements.hidden).toBe(true);
  elements.close("b");
  elements.open("b", null);
  elements.open("i", "hidden");
  expect(elements.hidden).toBe(false);
});

test(`tracks ${elementNameCountMax} names that are not of HTML, and all that are`, () => {
  const elements = new OpenElements();
  for (let number = 1; number < elementNameCountMax; number += 1) elements.open(`x${String(number)}`, null);
  elements.close("x1");
  elements.open("last", "hidden");
  expect(elements.hidden).toBe(true);
  elements.close("last");
  elements.open("one-more", "hidden");
  expect(elements.hidden).toBe(false);
  elements.open("div", "hidden");
  elements.close("one-more");
  expect(elements.hidden).toBe(true);
  elements.close("div");
  expect(elements.hidden).toBe(false);
});

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
