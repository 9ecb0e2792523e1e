import { decodeReferences } from "../character-references.ts";
import { scanHtml } from "../html-scanner.ts";
import { CssReader, type CssUsage } from "./css-usage.ts";

/** What an HTML body uses of HTML and CSS. */
export interface HtmlUsage {
  /** In lower case; `input[type=radio]` and the like stand beside `input`. */
  readonly elements: ReadonlySet<string>;
  /** Of the attributes that mail programs are known to treat differently. */
  readonly attributes: ReadonlySet<string>;
  /** Endings of the addresses of pictures, `png`. */
  readonly imageFormats: ReadonlySet<string>;
  readonly hasMailtoLink: boolean;
  readonly css: CssUsage;
}

const formats: ReadonlySet<string> = new Set([
  "apng",
  "avif",
  "bmp",
  "hdr",
  "heic",
  "heif",
  "ico",
  "svg",
  "tif",
  "tiff",
  "webp",
]);

/** Reads what a body uses; `attributeNames` are those worth knowing. Never throws; linear in the HTML. */
export function readUsage(html: string, attributeNames: readonly string[]): HtmlUsage {
  const elements = new Set<string>();
  const attributes = new Set<string>();
  const imageFormats = new Set<string>();
  const css = new CssReader();
  let hasMailtoLink = false;
  scanHtml(html, {
    open: (tag) => {
      elements.add(tag.name);
      if (tag.name === "input" || tag.name === "button")
        elements.add(`${tag.name}[type=${(tag.attribute("type") ?? "").toLowerCase()}]`);
      for (const name of attributeNames)
        if (!attributes.has(name) && tag.attribute(name) !== undefined) attributes.add(name);
      const style = tag.attribute("style");
      if (style !== undefined) css.inline(decodeReferences(style, "attribute"));
      if (tag.name === "a" && /^\s*mailto:/i.test(tag.attribute("href") ?? "")) hasMailtoLink = true;
      const format = tag.name === "img" ? formatOf(tag.attribute("src") ?? "") : undefined;
      if (format !== undefined) imageFormats.add(format);
    },
    close: () => undefined,
    text: () => undefined,
  });
  for (const sheet of styleSheets(html)) css.sheet(sheet);
  return { elements, attributes, imageFormats, hasMailtoLink, css };
}

function formatOf(src: string): string | undefined {
  if (/^\s*data:image\//i.test(src)) return "base64";
  const ending = /\.([a-z]{2,4})(?:[?#]|$)/i.exec(src.slice(-300))?.[1]?.toLowerCase() ?? "";
  return formats.has(ending) ? ending : undefined;
}

/** Contents of the style elements, which the scanner passes over. */
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
