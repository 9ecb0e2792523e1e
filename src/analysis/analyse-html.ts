import type { Image, Link } from "../core/message.ts";
import { analysedText, type HtmlAnalysis } from "./analysed-text.ts";
import { imageCountMax, linkCountMax } from "./bounds.ts";
import { decodeReferences } from "./html-characters.ts";
import { findCodes } from "./codes/find-codes.ts";
import { scanHtml, type StartTag } from "./html-scanner.ts";
import { VisibleReader } from "./visible-reader.ts";

/**
 * Analyses an HTML body in one pass: links, images, visible text, and the codes in it, up to the limit of {@link
 * analysedText}. Linear in its input; throws as {@link findCodes} does.
 *
 * - Links: `a` and `area` with an `href`, character references decoded, otherwise as written: neither trimmed nor
 * resolved against `base`. `text` is the visible text of the anchor on one line; null if it has none (white space, an
 * image, hidden text). Links in hidden elements are listed too, because an email client may show them.
 * - Images: `img` with a `src`, and icons (`link rel="icon"`) with an `href`, decoded, otherwise as written.
 * - Visible text: that of `readVisibleText`.
 */
export function analyseHtml(body: string, candidateMax: number = Infinity): HtmlAnalysis {
  const html = analysedText(body);
  const reader = new HtmlReader(html);
  scanHtml(html, reader);
  reader.endAnchor();
  const visibleText = reader.visible.toString();
  const codes = findCodes(visibleText, candidateMax);
  return { links: reader.listLinks(), images: reader.images, codes, visibleText };
}

/** Link, and the range of the visible text that is its own. */
interface LinkRange {
  readonly href: string;
  readonly start: number;
  end: number;
}

class HtmlReader extends VisibleReader {
  readonly images: Image[] = [];
  private readonly links: LinkRange[] = [];
  private anchor: LinkRange | null = null;

  override open(tag: StartTag): void {
    const { name } = tag;
    super.open(tag);
    if (name === "a") this.startAnchor(tag);
    else if (name === "area") this.addLink(tag.attribute("href"));
    else if (name === "img" || name === "image") this.addImage(tag.attribute("src"), tag.attribute("alt"));
    else if (name === "link" && isIcon(tag.attribute("rel"))) this.addImage(tag.attribute("href"), undefined);
  }

  override close(name: string): void {
    super.close(name);
    if (name === "a") this.endAnchor();
  }

  /** Ends the text of the open anchor. */
  endAnchor(): void {
    if (this.anchor !== null) this.anchor.end = this.visible.end;
    this.anchor = null;
  }

  /** Returns the links in document order, with their texts. */
  listLinks(): Link[] {
    return this.links.map(({ href, start, end }) => ({ href, text: this.visible.lineBetween(start, end) }));
  }

  private startAnchor(tag: StartTag): void {
    // A new anchor ends the previous one (HTML Standard §13.2.6.4.7).
    this.endAnchor();
    this.anchor = this.addLink(tag.attribute("href"));
  }

  /** Adds a link without text; returns null if there is no address, or at the limit. */
  private addLink(href: string | undefined): LinkRange | null {
    if (href === undefined || this.links.length >= linkCountMax) return null;
    const { end } = this.visible;
    const link = { href: decodeReferences(href, "attribute"), start: end, end };
    this.links.push(link);
    return link;
  }

  private addImage(src: string | undefined, alt: string | undefined): void {
    if (src === undefined || src === "" || this.images.length >= imageCountMax) return;
    this.images.push({ src: decodeReferences(src, "attribute"), alt: decodeReferences(alt ?? "", "attribute") });
  }
}

function isIcon(rel: string | undefined): boolean {
  return rel !== undefined && /(?:^|\s)icon(?:\s|$)/i.test(rel);
}
