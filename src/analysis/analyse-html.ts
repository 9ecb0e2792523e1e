import type { Image, Link } from "../core/message.ts";
import { imageCountMax, linkCountMax } from "./bounds.ts";
import { decodeReferences } from "./character-references.ts";
import { findCodes } from "./codes.ts";
import type { HtmlAnalysis } from "./findings.ts";
import { type HtmlEvents, scanHtml, type StartTag } from "./html-scanner.ts";
import { OpenElements } from "./open-elements.ts";
import { VisibilityReader } from "./visibility.ts";
import { type Separator, VisibleText } from "./visible-text.ts";

const lines =
  "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure " +
  "footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol option p pre section summary table tbody " +
  "tfoot thead tr ul";

/** Elements that stand on lines or in cells of their own; all others join what is around them. */
const separators: ReadonlyMap<string, Separator> = new Map<string, Separator>([
  ...lines.split(" ").map((name): [string, Separator] => [name, "\n"]),
  ["td", "\t"],
  ["th", "\t"],
]);

/**
 * Reads an HTML body in one pass: links, images, visible text, and the codes in it. Linear in its input, never throws.
 *
 * - Links: `a` and `area` with an `href`, decoded, otherwise as written: neither trimmed nor resolved against `base`.
 *   `text` is what a reader sees of the anchor, on one line; null when that is nothing (white space, a picture, hidden
 *   text). Links in hidden elements are listed too; a mail program may show them.
 * - Images: `img` with a `src`, and icons (`link rel="icon"`) with an `href`, decoded, otherwise as written.
 * - Visible text leaves out comments (conditional ones too), script, style, title, template, form values, and elements
 *   hidden by attribute or inline style, preheaders among them. `noscript` is visible: mail programs run no scripts.
 */
export function analyseHtml(html: string): HtmlAnalysis {
  const reader = new HtmlReader(html);
  scanHtml(html, reader);
  reader.endAnchor();
  const visibleText = reader.visible.toString();
  return { links: reader.links, images: reader.images, codes: findCodes(visibleText), visibleText };
}

class HtmlReader implements HtmlEvents {
  readonly links: Link[] = [];
  readonly images: Image[] = [];
  readonly visible = new VisibleText();
  private readonly html: string;
  private readonly elements = new OpenElements();
  private readonly visibility = new VisibilityReader();
  private anchor: { readonly href: string; readonly position: number; readonly mark: number } | null = null;
  private preformatted = 0;

  constructor(html: string) {
    this.html = html;
  }

  text(start: number, end: number): void {
    if (this.elements.hidden || this.visible.full) return;
    this.visible.append(this.html.slice(start, end), this.preformatted > 0);
  }

  open(tag: StartTag): void {
    const { name } = tag;
    this.elements.open(name, this.visibility.visibilityOf(tag));
    this.separate(name);
    if (name === "a") this.startAnchor(tag);
    else if (name === "area") this.addLink(tag.attribute("href"));
    else if (name === "img" || name === "image") this.addImage(tag.attribute("src"), tag.attribute("alt"));
    else if (name === "link" && isIcon(tag.attribute("rel"))) this.addImage(tag.attribute("href"), undefined);
    else if (name === "pre") this.preformatted++;
  }

  close(name: string): void {
    this.elements.close(name);
    this.separate(name);
    if (name === "a") this.endAnchor();
    else if (name === "pre" && this.preformatted > 0) this.preformatted--;
  }

  /** Gives the open anchor its text. */
  endAnchor(): void {
    if (this.anchor === null) return;
    const { href, position, mark } = this.anchor;
    this.links[position] = { href, text: this.visible.since(mark) };
    this.anchor = null;
  }

  private separate(name: string): void {
    const separator = separators.get(name);
    if (separator !== undefined) this.visible.separate(separator);
  }

  private startAnchor(tag: StartTag): void {
    // A new anchor ends the one before it (HTML Standard §13.2.6.4.7).
    this.endAnchor();
    const position = this.links.length;
    this.addLink(tag.attribute("href"));
    const link = this.links[position];
    if (link !== undefined) this.anchor = { href: link.href, position, mark: this.visible.mark };
  }

  private addLink(href: string | undefined): void {
    if (href === undefined || this.links.length >= linkCountMax) return;
    this.links.push({ href: decodeReferences(href, "attribute"), text: null });
  }

  private addImage(src: string | undefined, alt: string | undefined): void {
    if (src === undefined || src === "" || this.images.length >= imageCountMax) return;
    this.images.push({ src: decodeReferences(src, "attribute"), alt: decodeReferences(alt ?? "", "attribute") });
  }
}

function isIcon(rel: string | undefined): boolean {
  return rel !== undefined && /(?:^|\s)icon(?:\s|$)/i.test(rel);
}
