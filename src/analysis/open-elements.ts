/**
 * The stack of open elements (HTML Standard §13.2.4.2), as far as it decides which text is hidden: mail leaves out end
 * tags, adds stray ones and crosses them, and a hidden cell must not swallow the rest of the mail.
 */
import { openElementCountMax } from "./bounds.ts";
import type { Visibility } from "./visibility.ts";

interface OpenElement {
  readonly name: string;
  readonly hides: boolean;
  /** Whether text outside of this element has font size zero. */
  readonly tinyOutside: boolean;
  /** Index of the open element of the same name that this one covers; -1 when there is none. */
  readonly covered: number;
  /** Index of the innermost table cell or the like outside of this one; -1 when there is none. */
  readonly wall: number;
}

const voidElements: ReadonlySet<string> = new Set(
  "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr".split(" "),
);

// End tags of other elements do not reach through these (§13.2.4.2, "in scope").
const walls: ReadonlySet<string> = new Set(["td", "th", "caption", "table", "template", "object", "marquee"]);
const tableParts: ReadonlySet<string> = new Set("table thead tbody tfoot tr td th caption body html".split(" "));

interface ImpliedEnd {
  /** Open elements that the start tag ends. */
  readonly ends: readonly string[];
  /** Elements that protect those outside of them. */
  readonly within: readonly string[];
}

const item: ImpliedEnd = { ends: ["li"], within: ["ul", "ol"] };
const definition: ImpliedEnd = { ends: ["dt", "dd"], within: ["dl"] };
const cell: ImpliedEnd = { ends: ["td", "th"], within: ["table"] };
const row: ImpliedEnd = { ends: ["tr"], within: ["table"] };
const rows: ImpliedEnd = { ends: ["thead", "tbody", "tfoot"], within: ["table"] };
const paragraph: ImpliedEnd = { ends: ["p"], within: ["td", "th", "table"] };
const impliedEnds: ReadonlyMap<string, ImpliedEnd> = new Map([
  ["li", item],
  ["dt", definition],
  ["dd", definition],
  ["td", cell],
  ["th", cell],
  ["tr", row],
  ["thead", rows],
  ["tbody", rows],
  ["tfoot", rows],
  ...["p", "div", "ul", "ol", "dl", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "center", "blockquote"].map(
    (name): [string, ImpliedEnd] => [name, paragraph],
  ),
]);

/** Follows start and end tags in amortised constant time each, whatever they are. */
export class OpenElements {
  private readonly stack: OpenElement[] = [];
  private readonly innermost = new Map<string, number>();
  private wall = -1;
  private hiding = 0;
  private tiny = false;

  /** Whether no reader sees text at this point. */
  get hidden(): boolean {
    return this.tiny || this.hiding > 0;
  }

  open(name: string, visibility: Visibility): void {
    const implied = impliedEnds.get(name);
    if (implied !== undefined) this.applyImpliedEnd(implied);
    if (voidElements.has(name) || this.stack.length >= openElementCountMax) return;
    const index = this.stack.length;
    const hides = visibility === "hidden";
    this.stack.push({ name, hides, tinyOutside: this.tiny, covered: this.indexOf(name), wall: this.wall });
    this.innermost.set(name, index);
    if (walls.has(name)) this.wall = index;
    if (hides) this.hiding++;
    else if (visibility !== null) this.tiny = visibility === "tiny";
  }

  /** Ends the innermost element of this name and all inside it; a stray end tag changes nothing. */
  close(name: string): void {
    const index = this.indexOf(name);
    if (index < 0 || (index < this.wall && !tableParts.has(name))) return;
    this.truncate(index);
  }

  private applyImpliedEnd({ ends, within }: ImpliedEnd): void {
    const end = this.innermostOf(ends);
    if (end >= 0 && end > this.innermostOf(within)) this.truncate(end);
  }

  private innermostOf(names: readonly string[]): number {
    let innermost = -1;
    for (const name of names) innermost = Math.max(innermost, this.indexOf(name));
    return innermost;
  }

  private indexOf(name: string): number {
    return this.innermost.get(name) ?? -1;
  }

  private truncate(length: number): void {
    while (this.stack.length > length) {
      const element = this.stack.pop();
      if (element === undefined) return;
      this.innermost.set(element.name, element.covered);
      this.wall = element.wall;
      this.tiny = element.tinyOutside;
      if (element.hides) this.hiding--;
    }
  }
}
