import { decodeReferences } from "../character-references.ts";
import { scanHtml, type HtmlEvents, type StartTag } from "../html-scanner.ts";
import { plainStyle, styleInside, type TextStyle } from "./text-style.ts";

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
