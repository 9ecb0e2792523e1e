import { decodeReferences } from "../html-characters.ts";
import { scanHtml, type HtmlEvents, type StartTag } from "../html-scanner.ts";
import { parseColour, type Colour } from "./colour.ts";

/** Element that some rule checks. */
export interface OutlineElement {
  /** In lower case. */
  readonly name: string;
  /** Decoded values of the attributes that rules read; "" for one without a value. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly isHidden: boolean;
  /** Accessible name: visible text and the `alt` of images inside, white space collapsed. */
  readonly label: string;
}

/** Range of visible text and its style. */
export interface TextRun {
  readonly text: string;
  readonly style: TextStyle;
}

/** Content of an HTML body for accessibility checks, in document order. */
export interface HtmlOutline {
  readonly elements: readonly OutlineElement[];
  readonly texts: readonly TextRun[];
}

const outlined = new Set("html title a area img table h1 h2 h3 h4 h5 h6 meta body input".split(" "));
const labelled = new Set("a h1 h2 h3 h4 h5 h6".split(" "));
const attributeNames = "alt src href lang role title aria-label aria-labelledby width height summary type".split(" ");
const voids = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const elementCountMax = 20_000;
const depthMax = 2000;
const labelLengthMax = 500;

/** Returns the outline of an HTML body: at most 20,000 elements and as many texts. Linear, never throws. */
export function outlineHtml(html: string): HtmlOutline {
  const reader = new OutlineReader(html);
  scanHtml(html, reader);
  return { elements: reader.elements, texts: reader.texts };
}

interface Open {
  readonly name: string;
  readonly style: TextStyle;
  readonly labelled: { label: string } | null;
}

class OutlineReader implements HtmlEvents {
  readonly elements: OutlineElement[] = [];
  readonly texts: TextRun[] = [];
  readonly #html: string;
  readonly #stack: Open[] = [];
  /** Number of open elements by name, so that an end tag without a start costs nothing. */
  readonly #openCounts = new Map<string, number>();

  constructor(html: string) {
    this.#html = html;
  }

  text(start: number, end: number): void {
    const style = this.#style();
    if (style.isHidden) return;
    const text = collapse(decodeReferences(this.#html.slice(start, end), "text"));
    if (text.trim() === "") return;
    if (this.texts.length < elementCountMax) this.texts.push({ text: text.trim().slice(0, labelLengthMax), style });
    this.#addToLabels(text);
  }

  open(tag: StartTag): void {
    const { name } = tag;
    const style = styleInside(this.#style(), name, (attribute) => tag.attribute(attribute));
    const element = this.#keep(tag, style);
    const alt = name === "img" && !style.isHidden ? tag.attribute("alt") : undefined;
    if (alt !== undefined) this.#addToLabels(` ${decodeReferences(alt, "attribute")} `);
    if (voids.has(name) || this.#stack.length >= depthMax) return;
    this.#stack.push({ name, style, labelled: labelled.has(name) ? element : null });
    this.#openCounts.set(name, (this.#openCounts.get(name) ?? 0) + 1);
  }

  close(name: string): void {
    if ((this.#openCounts.get(name) ?? 0) === 0) return;
    for (let top = this.#stack.pop(); top !== undefined; top = this.#stack.pop()) {
      this.#openCounts.set(top.name, (this.#openCounts.get(top.name) ?? 1) - 1);
      if (top.name === name) return;
    }
  }

  #style(): TextStyle {
    return this.#stack.at(-1)?.style ?? plainStyle;
  }

  #keep(tag: StartTag, { isHidden }: TextStyle): { label: string } | null {
    if (!outlined.has(tag.name) || this.elements.length >= elementCountMax) return null;
    const attributes = new Map<string, string>();
    for (const attribute of attributeNames) {
      const value = tag.attribute(attribute);
      if (value !== undefined) attributes.set(attribute, decodeReferences(value, "attribute"));
    }
    const element = { name: tag.name, attributes, isHidden, label: "" };
    this.elements.push(element);
    return element;
  }

  /** Adds text to the labels of the innermost elements that have one; these are nested only a few levels deep. */
  #addToLabels(text: string): void {
    let remaining = 3;
    for (let at = this.#stack.length - 1; at >= 0 && at >= this.#stack.length - 20 && remaining > 0; at -= 1) {
      const element = this.#stack[at]?.labelled ?? null;
      if (element === null) continue;
      remaining -= 1;
      if (element.label.length < labelLengthMax) element.label = collapse(`${element.label}${text}`).trimStart();
    }
  }
}

function collapse(text: string): string {
  return text.replaceAll(/(?:\s|\u200b|\u200c|\u200d|\u2060|\ufeff)+/g, " ");
}

/** Style of text at one point of a body, from attributes and inline styles. */
interface TextStyle {
  /** Null until something sets it; "unknown" if it is set to a value that cannot be computed here. */
  readonly colour: Colour | "unknown" | null;
  readonly background: Colour | "unknown" | null;
  readonly sizePx: number;
  readonly isBold: boolean;
  readonly isHidden: boolean;
  /** Value of `dir`, or of the property `direction`, in lower case; null until something sets it. */
  readonly direction: string | null;
}

/** Default style of an email client. */
const plainStyle: TextStyle = {
  colour: null,
  background: null,
  sizePx: 16,
  isBold: false,
  isHidden: false,
  direction: null,
};

const headingSizes: ReadonlyMap<string, number> = new Map(
  Object.entries({ h1: 32, h2: 24, h3: 18.72, h4: 16, h5: 13.28, h6: 10.72 }),
);
const bold: ReadonlySet<string> = new Set(["b", "strong", "th", "h1", "h2", "h3", "h4", "h5", "h6"]);
const unitPx: Readonly<Record<string, number>> = { px: 1, pt: 4 / 3, pc: 16, in: 96 };
const styleLengthMax = 10_000;

type Attribute = (name: string) => string | undefined;
type Declarations = ReadonlyMap<string, string>;

/** Returns the style inside of an element, from the one outside. Linear in the attributes. */
function styleInside(outside: TextStyle, name: string, attribute: Attribute): TextStyle {
  const declared = readDeclarations(attribute("style") ?? "");
  const fontColour = name === "font" ? attribute("color") : undefined;
  return {
    colour: inherit(outside.colour, declared.get("color") ?? fontColour),
    background: backgroundInside(outside, declared, attribute),
    sizePx: readSize(declared.get("font-size"), headingSizes.get(name) ?? outside.sizePx),
    isBold: isBoldInside(outside, name, declared.get("font-weight")),
    isHidden: outside.isHidden || hides(declared) || isHiddenBy(attribute),
    direction: declared.get("direction") ?? attribute("dir")?.trim().toLowerCase() ?? outside.direction,
  };
}

function backgroundInside(outside: TextStyle, declared: Declarations, attribute: Attribute): TextStyle["background"] {
  if (attribute("background") !== undefined || declared.has("background-image")) return "unknown";
  const given = declared.get("background-color") ?? declared.get("background") ?? attribute("bgcolor");
  return inherit(outside.background, given);
}

function isBoldInside(outside: TextStyle, name: string, weight: string | undefined): boolean {
  if (weight !== undefined) return /^(?:bold|bolder|[6-9]00)$/.test(weight);
  return outside.isBold || bold.has(name);
}

function isHiddenBy(attribute: Attribute): boolean {
  return attribute("hidden") !== undefined || attribute("aria-hidden") === "true";
}

/** Returns the declarations of a `style` attribute, names and values in lower case; the last of equal names is used. */
function readDeclarations(style: string): ReadonlyMap<string, string> {
  const declarations = style.slice(0, styleLengthMax).toLowerCase().split(";");
  return new Map(
    declarations.map((one): [string, string] => {
      const colon = one.indexOf(":");
      return [
        one.slice(0, Math.max(0, colon)).trim(),
        one
          .slice(colon + 1)
          .replace("!important", "")
          .trim(),
      ];
    }),
  );
}

function inherit(outside: TextStyle["colour"], value: string | undefined): TextStyle["colour"] {
  if (value === undefined || value === "" || value === "inherit" || value === "transparent" || value === "none")
    return outside;
  return parseColour(value) ?? "unknown";
}

function readSize(value: string | undefined, outside: number): number {
  const [, number, unit = "px"] = /^(\d{1,6}(?:\.\d{1,6})?)(px|pt|pc|in|em|rem|%)?$/.exec(value ?? "") ?? [];
  if (number === undefined) return outside;
  if (unit === "em") return Number(number) * outside;
  if (unit === "%") return (Number(number) / 100) * outside;
  return Number(number) * (unit === "rem" ? 16 : (unitPx[unit] ?? 1));
}

function hides(declared: ReadonlyMap<string, string>): boolean {
  const isGone = declared.get("display") === "none" || declared.get("visibility") === "hidden";
  return isGone || declared.get("mso-hide") === "all" || /^0(?:\.0+)?$/.test(declared.get("opacity") ?? "");
}
