/**
 * The stack of open elements (HTML Standard §13.2.4.2), as far as it decides which text is hidden: mail leaves out end
 * tags, adds stray ones and crosses them, and a hidden cell must not swallow the rest of the mail.
 */
import { openElementCountMax } from "./bounds.ts";
import type { Visibility } from "./visibility.ts";

interface OpenElement {
  readonly kind: Kind;
  readonly name: string;
  readonly hides: boolean;
  /** Whether text outside of this element has font size zero. */
  readonly tinyOutside: boolean;
  /** Index of the open element of the same name that this one covers; -1 when there is none. */
  readonly covered: number;
  /** Index of the innermost table cell or the like outside of this one; -1 when there is none. */
  readonly wall: number;
}

/** What the stack needs to know of elements of one name. */
interface Kind {
  readonly isVoid: boolean;
  /** End tags of other elements do not reach through it (§13.2.4.2, "in scope"). */
  readonly isWall: boolean;
  readonly isTablePart: boolean;
  readonly impliedEnd: ImpliedEnd | null;
}

interface ImpliedEnd {
  /** Open elements that the start tag ends. */
  readonly ends: readonly string[];
  /** Elements that protect those outside of them. */
  readonly within: readonly string[];
}

const voidElements =
  "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr".split(" ");
const walls = ["td", "th", "caption", "table", "template", "object", "marquee"];
const tableParts = "table thead tbody tfoot tr td th caption body html".split(" ");

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

const ordinary: Kind = { isVoid: false, isWall: false, isTablePart: false, impliedEnd: null };
const kinds: ReadonlyMap<string, Kind> = new Map(
  [...voidElements, ...walls, ...tableParts, ...impliedEnds.keys()].map((name): [string, Kind] => [
    name,
    {
      isVoid: voidElements.includes(name),
      isWall: walls.includes(name),
      isTablePart: tableParts.includes(name),
      impliedEnd: impliedEnds.get(name) ?? null,
    },
  ]),
);

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
    const kind = kinds.get(name) ?? ordinary;
    if (kind.impliedEnd !== null) this.applyImpliedEnd(kind.impliedEnd);
    if (kind.isVoid || this.stack.length >= openElementCountMax) return;
    const index = this.stack.length;
    const hides = visibility === "hidden";
    this.stack.push({ kind, name, hides, tinyOutside: this.tiny, covered: this.indexOf(name), wall: this.wall });
    this.innermost.set(name, index);
    if (kind.isWall) this.wall = index;
    if (hides) this.hiding++;
    else if (visibility !== null) this.tiny = visibility === "tiny";
  }

  /** Ends the innermost element of this name and all inside it; a stray end tag changes nothing. */
  close(name: string): void {
    const index = this.indexOf(name);
    if (index < 0 || (index < this.wall && this.stack[index]?.kind.isTablePart === false)) return;
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
