import { decodeReferences } from "./character-references.ts";
import type { StartTag } from "./html-scanner.ts";

/**
 * Effect of an element on the text inside: `hidden` permanently, `tiny` (font size zero) until an element inside is
 * `sized` again, as mail layouts do in nearly every cell; null for no effect.
 */
export type Visibility = "hidden" | "tiny" | "sized" | null;

const neverShown: ReadonlySet<string> = new Set(["template", "datalist", "audio", "canvas"]);

// Only zero hides: `opacity: 0.9` and `max-height: 0.5em` show something.
const zero = String.raw`\s*:\s*0+(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:!\s*important\s*)?(?:;|$)`;
const start = String.raw`(?:^|[;\s])`;
const hiding = new RegExp(
  `${start}(?:display\\s*:\\s*none|visibility\\s*:\\s*(?:hidden|collapse)|(?:opacity|max-height|max-width)${zero})`,
);
const flat = new RegExp(`${start}(?:height|width)${zero}`);
const clipped = /overflow\s*:\s*hidden/;
const zeroValue = /:\s*0/;
const fontSizeZero = new RegExp(`${start}font-size${zero}`);
const styleLengthMax = 4096;
const stylesRememberedMax = 200;

/**
 * Reads visibility from an element's own attributes: elements that are never rendered, `hidden`, and the inline styles
 * that mail uses to hide preheaders: `display:none`, `visibility:hidden`, `opacity:0`, `max-height:0`, `max-width:0`, a
 * clipped height or width of zero, `font-size:0`. Style sheets are not applied. `mso-hide:all` alone hides nothing:
 * every email client except Outlook shows such text.
 */
export class VisibilityReader {
  // The cells of a mail share few styles.
  private readonly byStyle = new Map<string, Visibility>();
  // Adjacent cells mostly share theirs: comparing two styles is cheaper than the hash that a look-up computes of each.
  private lastStyle = "";
  private lastVisibility: Visibility = null;

  visibilityOf(tag: StartTag): Visibility {
    if (neverShown.has(tag.name) || tag.attribute("hidden") !== undefined) return "hidden";
    const style = tag.attribute("style");
    if (style === undefined || style === "") return null;
    if (style === this.lastStyle) return this.lastVisibility;
    this.lastStyle = style;
    this.lastVisibility = this.lookUp(style);
    return this.lastVisibility;
  }

  private lookUp(style: string): Visibility {
    const known = this.byStyle.get(style);
    if (known !== undefined) return known;
    const visibility = visibilityOfStyle(style);
    if (this.byStyle.size < stylesRememberedMax && style.length <= styleLengthMax) this.byStyle.set(style, visibility);
    return visibility;
  }
}

function visibilityOfStyle(written: string): Visibility {
  const style = decodeReferences(written.slice(0, styleLengthMax), "attribute").toLowerCase();
  const hasZero = zeroValue.test(style);
  if (mayHide(style, hasZero) && (hiding.test(style) || (clipped.test(style) && flat.test(style)))) return "hidden";
  if (hasZero && fontSizeZero.test(style)) return "tiny";
  return style.includes("font-size") || style.includes("font:") ? "sized" : null;
}

/** Checks cheaply whether a style may hide anything; most do not. */
function mayHide(style: string, hasZero: boolean): boolean {
  if (style.includes("display") && style.includes("none")) return true;
  if (style.includes("visibility")) return true;
  return hasZero && (style.includes("opacity") || style.includes("max-") || style.includes("overflow"));
}
