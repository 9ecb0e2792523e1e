import { decodeReferences } from "../html-characters.ts";
import { scanHtml, type HtmlEvents, type StartTag } from "../html-scanner.ts";
import { CssReader, type CssUsage } from "./css-usage.ts";

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
