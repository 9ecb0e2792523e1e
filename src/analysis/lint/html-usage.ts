import { decodeReferences } from "../html-characters.ts";
import { scanHtml, type HtmlEvents, type StartTag } from "../html-scanner.ts";
import { attributeItemCountMax } from "../bounds.ts";

/** HTML and CSS features that an HTML body uses. */
export interface HtmlUsage {
  /** In lower case; includes `input[type=radio]` and similar besides `input`. */
  readonly elements: ReadonlySet<string>;
  /** Attributes that email clients are known to treat differently. */
  readonly attributes: ReadonlySet<string>;
  /** File name extensions in the addresses of images, `png`. */
  readonly imageFormats: ReadonlySet<string>;
  readonly hasMailtoLink: boolean;
  readonly css: CssUsage;
}

const formats: ReadonlySet<string> = new Set("apng avif bmp hdr heic heif ico svg tif tiff webp".split(" "));

/**
 * Collects the features that a body uses; `attributeNames` are the relevant attributes. Never throws; linear in the
 * HTML.
 */
export function readUsage(html: string, attributeNames: readonly string[]): HtmlUsage {
  const reader = new UsageReader(attributeNames);
  scanHtml(html, reader);
  for (const sheet of styleSheets(html)) reader.css.sheet(sheet);
  return reader;
}

class UsageReader implements HtmlUsage, HtmlEvents {
  readonly elements: Set<string> = new Set();
  readonly attributes: Set<string> = new Set();
  readonly imageFormats: Set<string> = new Set();
  readonly css: CssReader = new CssReader();
  hasMailtoLink = false;
  readonly #attributeNames: readonly string[];

  constructor(attributeNames: readonly string[]) {
    this.#attributeNames = attributeNames;
  }

  open(tag: StartTag): void {
    const { name } = tag;
    this.elements.add(name);
    for (const attribute of this.#attributeNames) {
      if (!this.attributes.has(attribute) && tag.attribute(attribute) !== undefined) this.attributes.add(attribute);
    }
    const style = tag.attribute("style");
    if (style !== undefined) this.css.inline(decodeReferences(style, "attribute"));
    if (name === "input" || name === "button") this.elements.add(`${name}[type=${value(tag, "type").toLowerCase()}]`);
    if (name === "a") this.hasMailtoLink ||= /^\s*mailto:/i.test(value(tag, "href"));
    if (name === "img") this.#picture(value(tag, "src"));
  }

  close(): void {
    // Only start tags count.
  }

  text(): void {
    // Text is not a feature.
  }

  #picture(src: string): void {
    const format = formatOf(src);
    if (format !== undefined) this.imageFormats.add(format);
  }
}

function value(tag: StartTag, attribute: string): string {
  return tag.attribute(attribute) ?? "";
}

function formatOf(src: string): string | undefined {
  if (/^\s*data:image\//i.test(src)) return "base64";
  const ending = /\.([a-z]{2,4})(?:[?#]|$)/i.exec(src.slice(-300))?.[1]?.toLowerCase() ?? "";
  return formats.has(ending) ? ending : undefined;
}

/** Returns the contents of the style elements, which the scanner skips. */
function* styleSheets(html: string): Generator<string> {
  const lower = html.toLowerCase();
  if (lower.length !== html.length) return;
  for (let at = lower.indexOf("<style"); at >= 0;) {
    const start = lower.indexOf(">", at);
    if (start < 0) return;
    const end = lower.indexOf("</style", start);
    yield html.slice(start + 1, end < 0 ? html.length : end);
    if (end < 0) return;
    at = lower.indexOf("<style", end);
  }
}

/** CSS that the style sheets and inline styles of a body use, each feature once. All names are in lower case. */
interface CssUsage {
  readonly properties: ReadonlySet<string>;
  /** `property:value`, white space removed, values without `!important`. */
  readonly declarations: ReadonlySet<string>;
  /** Function names in values, without the parenthesis. */
  readonly functions: ReadonlySet<string>;
  readonly units: ReadonlySet<string>;
  readonly keywords: ReadonlySet<string>;
  /** `@media (hover)`, as written except for white space. */
  readonly atRules: ReadonlySet<string>;
  /** `:hover`, `::before`. */
  readonly pseudos: ReadonlySet<string>;
}

const nameCountMax = 5000;
const segmentLengthMax = 20_000;

/** Collects the features that CSS uses. Never throws; linear in the text. */
export class CssReader implements CssUsage {
  readonly properties: Set<string> = new Set();
  readonly declarations: Set<string> = new Set();
  readonly functions: Set<string> = new Set();
  readonly units: Set<string> = new Set();
  readonly keywords: Set<string> = new Set();
  readonly atRules: Set<string> = new Set();
  readonly pseudos: Set<string> = new Set();

  /** Reads a style sheet. */
  sheet(css: string): void {
    let start = 0;
    const text = withoutComments(css);
    for (const { index, 0: mark } of text.matchAll(/[;{}]/g)) {
      const segment = text.slice(start, Math.min(index, start + segmentLengthMax)).trim();
      start = index + 1;
      if (segment.startsWith("@")) this.#add(this.atRules, segment.replaceAll(/\s+/g, " "));
      else if (mark === "{") this.#selector(segment);
      else this.#declaration(segment);
    }
  }

  /** Reads a `style` attribute. */
  inline(style: string): void {
    const declarations = withoutComments(style).split(";", attributeItemCountMax);
    for (const declaration of declarations) this.#declaration(declaration.trim());
  }

  #selector(selector: string): void {
    for (const [pseudo] of selector.matchAll(/::?[a-z-]{1,40}/gi)) this.#add(this.pseudos, pseudo);
  }

  #declaration(declaration: string): void {
    const colon = declaration.indexOf(":");
    if (colon <= 0) return;
    const property = declaration.slice(0, colon).trim();
    if (!/^-{0,2}[a-z][a-z-]{0,60}$/i.test(property)) return;
    const value = declaration.slice(colon + 1, colon + 1 + segmentLengthMax).toLowerCase();
    if (/!\s*important/.test(value)) this.keywords.add("!important");
    this.#add(this.properties, property);
    this.#add(
      this.declarations,
      `${property}:${value
        .replace(/!\s*important/, "")
        .replaceAll(/\s/g, "")
        .slice(0, 60)}`,
    );
    for (const [, name = ""] of value.matchAll(/([a-z-]{2,40})\(/g)) this.#add(this.functions, name);
    for (const [, unit = ""] of value.matchAll(/(?<![\w#-])\d{0,9}\.?\d{1,9}(%|[a-z]{2,4})(?![\w-])/g))
      this.#add(this.units, unit);
    for (const [word] of value.matchAll(/(?<![\w#-])[a-z][a-z-]{2,40}(?![\w(-])/g)) this.#add(this.keywords, word);
  }

  #add(names: Set<string>, name: string): void {
    if (names.size < nameCountMax) names.add(name.toLowerCase());
  }
}

/** Removes comments, which do not occur inside of names here. An unclosed one extends to the end. */
function withoutComments(css: string): string {
  if (!css.includes("/*")) return css;
  const parts: string[] = [];
  let start = 0;
  for (let open = css.indexOf("/*"); open >= 0; open = css.indexOf("/*", start)) {
    parts.push(css.slice(start, open));
    const close = css.indexOf("*/", open + 2);
    start = close < 0 ? css.length : close + 2;
  }
  return [...parts, css.slice(start)].join(" ");
}
