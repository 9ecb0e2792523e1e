import { decodeReferences } from "../analysis/html-characters.ts";
import { scanHtml, type HtmlEvents, type StartTag, type WrittenAttribute } from "../analysis/html-scanner.ts";
import type { Lacks } from "./lacks.ts";
import { rewriteInline, rewriteSheet, rewriteValue, type CssRules } from "./rewrite-css.ts";
import { noImage, type AddressUse } from "./write-css.ts";

/** Rules for the HTML of a rendered mail. */
export interface HtmlRules extends CssRules {
  readonly lacks: Lacks;
  /** Returns what is shown in place of a text of the mail, or of the text of an image. */
  readonly text?: (text: string) => string;
}

/** Elements whose content the scanner skips. */
const rawElements: ReadonlySet<string> = new Set("script style title textarea xmp iframe noembed noframes".split(" "));
const doctype = /^\s*<!doctype[^<>]{0,1000}>/i;
const imageAttributes: ReadonlySet<string> = new Set(["src", "background", "poster"]);
const mediaElements: ReadonlySet<string> = new Set(["video", "audio", "source", "track"]);

/**
 * Returns the HTML with only the elements, attributes and CSS of the allow-lists, and with no address to load except
 * those that `rules.address` returned. Comments are removed. The result consists of tags with double-quoted attributes,
 * of text without `<`, and of style sheets that mean the same in any place, so its safety does not depend on how a
 * browser nests the elements. Linear; never throws.
 */
export function rewriteHtml(html: string, rules: HtmlRules): string {
  const rewriter = new Rewriter(html, rules);
  scanHtml(html, rewriter);
  return rewriter.finish();
}

class Rewriter implements HtmlEvents {
  readonly #html: string;
  readonly #rules: HtmlRules;
  readonly #chunks: string[];
  /** Open element with raw content: `tag` if it is kept, `from` where its content starts. */
  #raw: { readonly tag: string | null; readonly name: string; readonly from: number } | null = null;
  /** Open elements whose content is removed. */
  #hidden = 0;

  constructor(html: string, rules: HtmlRules) {
    this.#html = html;
    this.#rules = rules;
    // The document type selects the layout mode of browsers.
    this.#chunks = [doctype.exec(html)?.[0].trim() ?? ""];
  }

  text(start: number, end: number): void {
    this.#keep(this.#textOf(this.#html.slice(start, end)).replaceAll("<", "&lt;"));
  }

  open(tag: StartTag): void {
    const { name, end } = tag;
    if (hiddenElements.has(name)) this.#hidden += 1;
    else this.#keep(this.#startTag(tag) ?? "");
    if (rawElements.has(name)) this.#raw = { tag: this.#isShown(tag) ? name : null, name, from: end };
  }

  close(name: string, start: number): void {
    this.#closeRaw(start);
    if (hiddenElements.has(name)) this.#hidden = Math.max(0, this.#hidden - 1);
    else if (shownElements.has(name) && !this.#rules.lacks.element(name, "")) this.#keep(`</${name}>`);
  }

  finish(): string {
    const isInStyle = this.#raw?.tag === "style";
    this.#closeRaw(this.#html.length);
    return this.#chunks.join("") + (isInStyle ? "</style>" : "");
  }

  #keep(written: string): void {
    if (this.#hidden === 0) this.#chunks.push(written);
  }

  #closeRaw(to: number): void {
    if (this.#raw === null) return;
    const { tag, name, from } = this.#raw;
    this.#raw = null;
    const content = this.#html.slice(from, to);
    if (tag === "style") this.#keep(rewriteSheet(content, this.#rules));
    else if (tag === "textarea" || tag === "title") this.#keep(escapeMarks(content));
    // Obsolete, and its content cannot be escaped.
    else if (name === "xmp") this.#keep(`<pre>${escapeMarks(content.replaceAll("&", "&amp;"))}</pre>`);
  }

  /** Returns the text to be written, as it is when nothing in it is replaced. */
  #textOf(written: string): string {
    const { text } = this.#rules;
    if (text === undefined || this.#hidden > 0) return written;
    const decoded = decodeReferences(written, "text");
    const shown = text(decoded);
    return shown === decoded ? written : shown.replaceAll("&", "&amp;");
  }

  #isShown(tag: StartTag): boolean {
    const { name } = tag;
    const type = name === "input" || name === "button" ? (tag.attribute("type") ?? "").toLowerCase() : "";
    return shownElements.has(name) && !this.#rules.lacks.element(name, type);
  }

  /** Returns the tag to be written; null if it is removed. */
  #startTag(tag: StartTag): string | null {
    if (tag.name === "link") return this.#link(tag);
    if (!this.#isShown(tag)) return null;
    if (tag.name === "meta" && !shownMeta.has(decode(tag.attribute("name") ?? "").toLowerCase())) return null;
    const written = new Map<string, string>();
    for (const attribute of tag.listAttributes()) {
      const name = attribute.name === "xlink:href" ? "href" : attribute.name;
      if (written.has(name) || this.#rules.lacks.attribute(name)) continue;
      const value = this.#attribute(tag.name, { name, value: attribute.value });
      if (value !== null) written.set(name, value);
    }
    const slash = this.#html[tag.end - 2] === "/" ? " /" : "";
    return `<${tag.name}${Array.from(written, ([name, value]) => ` ${name}="${value}"`).join("")}${slash}>`;
  }

  /** Returns an external style sheet, where it may be loaded. */
  #link(tag: StartTag): string | null {
    const href = decode(tag.attribute("href") ?? "").trim();
    if (
      decode(tag.attribute("rel") ?? "")
        .trim()
        .toLowerCase() !== "stylesheet" ||
      href === ""
    )
      return null;
    const own = this.#rules.address(href, "sheet");
    const media = escapeMarks(tag.attribute("media") ?? "all");
    return own === null ? null : `<link rel="stylesheet" href="${escapeValue(own)}" media="${media}">`;
  }

  /** Returns the attribute's value to be written; null if it is removed. */
  #attribute(element: string, { name, value }: WrittenAttribute): string | null {
    const rules = this.#rules;
    if (isPlain(element, name)) return escapeMarks(name === "alt" ? this.#textOf(value) : value);
    if (name === "style") return escapeValue(rewriteInline(decode(value), rules));
    if (styleAttributes.has(name)) return escaped(rewriteValue(decode(value), rules));
    if (name === "href") return hrefOf(element, decode(value).trim());
    if (name === "srcset") return escaped(rewriteSources(decode(value), rules));
    return imageAttributes.has(name) ? this.#source(element, name, decode(value).trim()) : null;
  }

  #source(element: string, name: string, written: string): string | null {
    const use: AddressUse = name === "src" && mediaElements.has(element) ? "media" : "image";
    return escaped(this.#rules.address(written, use) ?? (use === "image" ? noImage : null));
  }
}

function isPlain(element: string, name: string): boolean {
  return plainAttributes.has(name) || (name === "content" && element === "meta") || plainAttributePattern.test(name);
}

/** Returns a link, unless it runs a script; references within SVG may only name a part of the page. */
function hrefOf(element: string, href: string): string | null {
  const isKept = localReferences.has(element)
    ? href.startsWith("#")
    : (element === "a" || element === "area") && followedLink.test(href);
  return isKept ? escapeValue(href) : null;
}

/** Returns the candidates of a `srcset` (HTML Standard §4.8.4.3.9) that may be loaded; null if there are none. */
function rewriteSources(written: string, { address }: CssRules): string | null {
  const candidates: string[] = [];
  for (const candidate of written.split(/,\s|(?<=\s[\d.]{1,9}[wxh]),/)) {
    const [, url = "", size = ""] = /^(\S{1,8000})(?:\s+(\d[\d.]{0,9}[wxh]))?$/.exec(candidate.trim()) ?? [];
    const own = address(url, "source");
    if (url !== "" && own !== null && !/[\s,]/.test(own)) candidates.push(`${own} ${size}`.trim());
  }
  return candidates.length === 0 ? null : candidates.join(", ");
}

function decode(value: string): string {
  return decodeReferences(value, "attribute");
}

function escaped(value: string | null): string | null {
  return value === null ? null : escapeValue(value);
}

function escapeValue(value: string): string {
  return escapeMarks(value.replaceAll("&", "&amp;"));
}

/** Escapes quotes; character references are kept. */
function escapeMarks(written: string): string {
  return written.replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** HTML that a rendered mail may contain. Anything else is removed; the text in it is kept. */

/** Elements of HTML that only affect layout or presentation. */
const htmlElements =
  "html head body title style meta " +
  "a abbr acronym address article aside b bdi bdo big blink blockquote br caption center cite code col colgroup dd del " +
  "details dfn dialog dir div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd " +
  "label legend li listing main map area mark marquee menu meter nav nobr ol optgroup option output p picture source pre " +
  "progress q rb rp rt rtc ruby s samp search section select button input textarea small span strike strong sub summary sup " +
  "table tbody td tfoot th thead time tr track tt u ul var wbr video audio";
/** Elements of SVG except those that load, embed or animate. */
const svgElements =
  "svg g path rect circle ellipse line polyline polygon text tspan textpath defs symbol use lineargradient radialgradient " +
  "stop clippath mask pattern marker switch filter feblend fecolormatrix fecomponenttransfer fecomposite fedropshadow " +
  "feflood fefunca fefuncb fefuncg fefuncr fegaussianblur femerge femergenode femorphology feoffset feturbulence";

/** Elements that are kept. */
const shownElements: ReadonlySet<string> = new Set(`${htmlElements} ${svgElements}`.split(" "));

/** Elements that are removed with their content. */
const hiddenElements: ReadonlySet<string> = new Set(["template"]);

/** Attributes without addresses, kept as they are. */
const plainAttributes: ReadonlySet<string> = new Set(
  (
    "id class title dir lang role hidden translate align valign width height bgcolor color face size border bordercolor " +
    "cellpadding cellspacing colspan rowspan nowrap hspace vspace clear noshade compact type start value reversed char " +
    "charoff frame rules summary abbr scope headers span alt name label for placeholder disabled checked selected " +
    "multiple readonly maxlength rows cols wrap shape coords usemap open datetime text link vlink alink leftmargin topmargin " +
    "rightmargin bottommargin marginwidth marginheight media sizes loop muted controls min max low high optimum " +
    "direction behavior scrollamount scrolldelay " +
    "d x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy points transform viewbox preserveaspectratio xmlns version offset " +
    "gradientunits gradienttransform spreadmethod patternunits patterncontentunits patterntransform clippathunits " +
    "maskunits maskcontentunits markerunits markerwidth markerheight refx refy orient pathlength textlength lengthadjust " +
    "rotate in in2 result operator k1 k2 k3 k4 mode values stddeviation flood-opacity filterunits primitiveunits " +
    "tablevalues slope intercept amplitude exponent basefrequency numoctaves seed radius"
  ).split(" "),
);
/** Attributes for the browser itself or for CSS selectors. */
const plainAttributePattern: RegExp = /^(?:aria|data)-[a-z0-9_-]{1,60}$/;

/** SVG attributes whose values are CSS. */
const styleAttributes: ReadonlySet<string> = new Set(
  (
    "fill fill-opacity fill-rule stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin " +
    "stroke-miterlimit stroke-opacity stroke-width opacity stop-color stop-opacity clip-path clip-rule mask filter marker " +
    "marker-start marker-mid marker-end flood-color color-interpolation-filters font-family font-size font-style " +
    "font-weight text-anchor text-decoration dominant-baseline alignment-baseline baseline-shift letter-spacing " +
    "word-spacing visibility display overflow vector-effect shape-rendering paint-order"
  ).split(" "),
);

/** Elements whose `href` may only name a part of the page. */
const localReferences: ReadonlySet<string> = new Set("use lineargradient radialgradient pattern textpath".split(" "));

/** Names of `meta` elements that only affect the layout. */
const shownMeta: ReadonlySet<string> = new Set(
  "color-scheme supported-color-schemes viewport format-detection x-apple-disable-message-reformatting".split(" "),
);

/** Links that a reader may follow; nothing follows them automatically. */
const followedLink: RegExp = /^(?:https?:\/\/|\/\/|mailto:|tel:|sms:|smsto:|#)/i;
