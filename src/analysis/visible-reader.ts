import { analysedText } from "./analysed-text.ts";
import { type HtmlEvents, scanHtml, type StartTag } from "./html-scanner.ts";
import { OpenElements, visibilityOf } from "./open-elements.ts";
import { VisibleText } from "./visible-text.ts";

/**
 * Returns the visible text of an HTML body: without comments (conditional ones too), script, style, title, template,
 * form values, and elements hidden by attribute or inline style, including preheaders. `noscript` is visible, because
 * email clients run no scripts. White space is collapsed, lines are separated by one LF, cells by one TAB. Linear in
 * its input, never throws.
 */
export function readVisibleText(body: string): string {
  const html = analysedText(body);
  const reader = new VisibleReader(html);
  scanHtml(html, reader);
  return reader.visible.toString();
}

/** Builds the visible text while the HTML is scanned. */
export class VisibleReader implements HtmlEvents {
  readonly visible: VisibleText;
  private readonly elements = new OpenElements();
  private preformatted = 0;

  constructor(html: string) {
    this.visible = new VisibleText(html);
  }

  text(start: number, end: number): void {
    if (!this.elements.hidden) this.visible.append(start, end, this.preformatted > 0);
  }

  open(tag: StartTag): void {
    const kind = this.elements.open(tag.name, visibilityOf(tag));
    this.visible.separate(kind.separator);
    if (kind.isPreformatted) this.preformatted++;
  }

  close(name: string): void {
    const kind = this.elements.close(name);
    this.visible.separate(kind.separator);
    if (kind.isPreformatted && this.preformatted > 0) this.preformatted--;
  }
}
