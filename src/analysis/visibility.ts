import { decodeReferences } from "./html-characters.ts";
import type { StartTag } from "./html-scanner.ts";

/**
 * Effect of an element on the text inside: `hidden` permanently, `tiny` (font size zero) until an element inside is
 * `sized` again, as mail layouts do in nearly every cell; null for no effect.
 */
export type Visibility = "hidden" | "tiny" | "sized" | null;

// Only zero hides: `opacity: 0.9` and `max-height: 0.5em` show something.
const zero = String.raw`\s*:\s*0+(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:!\s*important\s*)?(?:;|$)`;
const start = String.raw`(?:^|[;\s])`;
const hiding = new RegExp(
  `${start}(?:display\\s*:\\s*none|visibility\\s*:\\s*(?:hidden|collapse)|(?:opacity|max-height|max-width)${zero})`,
  "i",
);
const flat = new RegExp(`${start}(?:height|width)${zero}`, "i");
const clipped = /overflow\s*:\s*hidden/i;
const sizeZero = new RegExp(`${start}font-size${zero}`, "i");
const sized = /font(?:-size|:)/i;
/** Matches all styles that hide anything, and few others: most styles need no closer look. */
const mayHide = /:\s*(?:0|none|hidden|collapse)/i;
const styleLengthMax = 4096;

/**
 * Reads visibility from an element's own attributes: `hidden`, and the inline styles that mail uses to hide preheaders:
 * `display:none`, `visibility:hidden`, `opacity:0`, `max-height:0`, `max-width:0`, a clipped height or width of zero,
 * `font-size:0`. Style sheets are not applied. `mso-hide:all` alone hides nothing: every email client except Outlook
 * shows such text.
 */
export function visibilityOf(tag: StartTag): Visibility {
  if (tag.attribute("hidden") !== undefined) return "hidden";
  const written = tag.attribute("style");
  if (written === undefined) return null;
  const style = decodeReferences(written.slice(0, styleLengthMax), "attribute");
  if (mayHide.test(style)) {
    if (hiding.test(style) || (clipped.test(style) && flat.test(style))) return "hidden";
    if (sizeZero.test(style)) return "tiny";
  }
  return sized.test(style) ? "sized" : null;
}
