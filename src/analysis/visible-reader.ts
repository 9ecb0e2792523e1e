import { analysedText } from "./analysed-text.ts";
import { type HtmlEvents, scanHtml, type StartTag } from "./html-scanner.ts";
import { OpenElements } from "./open-elements.ts";
import { VisibilityReader } from "./visibility.ts";
import { type Separator, separators, VisibleText } from "./visible-text.ts";

const lines =
  "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure " +
  "footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol option p pre section summary table tbody " +
  "tfoot thead tr ul";

/** Separators around elements that are lines or cells; other elements have none. */
const separatorOf: ReadonlyMap<string, Separator> = new Map<string, Separator>([
  ...lines.split(" ").map((name): [string, Separator] => [name, separators.line]),
  ["td", separators.cell],
  ["th", separators.cell],
]);

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
  readonly visible: VisibleText = new VisibleText();
  private readonly html: string;
  private readonly elements = new OpenElements();
  private readonly visibility = new VisibilityReader();
  private preformatted = 0;

  constructor(html: string) {
    this.html = html;
  }

  text(start: number, end: number): void {
    if (this.elements.hidden || this.visible.full) return;
    this.visible.append(this.html.slice(start, end), this.preformatted > 0);
  }

  open(tag: StartTag): void {
    this.elements.open(tag.name, this.visibility.visibilityOf(tag));
    this.separate(tag.name);
    if (tag.name === "pre") this.preformatted++;
  }

  close(name: string): void {
    this.elements.close(name);
    this.separate(name);
    if (name === "pre" && this.preformatted > 0) this.preformatted--;
  }

  private separate(name: string): void {
    const separator = separatorOf.get(name);
    if (separator !== undefined) this.visible.separate(separator);
  }
}
