/**
 * Stack of open elements (HTML Standard §13.2.4.2), as far as it decides which text is hidden: mail omits end tags,
 * adds stray ones and misnests them, and a hidden cell must not hide the rest of the mail.
 */
import { elementNameCountMax, openElementCountMax } from "./bounds.ts";
import type { Visibility } from "./visibility.ts";

interface OpenElement {
  readonly name: Name;
  readonly hides: boolean;
  /** True if text outside of this element has font size zero. */
  readonly tinyOutside: boolean;
  /** Index of the open element of the same name that this one covers; -1 if there is none. */
  readonly covered: number;
  /** Index of the innermost table cell or similar outside of this one; -1 if there is none. */
  readonly wall: number;
}

/** Name that has occurred, so that it is looked up once per tag. */
interface Name {
  readonly kind: Kind;
  /** Index of the innermost open element of this name; -1 if there is none. */
  innermost: number;
  /** As {@link ImpliedEnd}; empty if a start tag of this name ends nothing. */
  readonly ends: Name[];
  readonly within: Name[];
}

/** Properties of elements of one name that the stack uses. */
interface Kind {
  readonly isVoid: boolean;
  /** True if end tags of other elements have no effect outside of it (§13.2.4.2, "in scope"). */
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

/** Applies start and end tags in amortised constant time each. */
export class OpenElements {
  private readonly stack: OpenElement[] = [];
  private readonly names = new Map<string, Name>();
  private wall = -1;
  private hiding = 0;
  private tiny = false;

  /** True if text at this point is hidden. */
  get hidden(): boolean {
    return this.tiny || this.hiding > 0;
  }

  open(written: string, visibility: Visibility): void {
    if (this.names.size >= elementNameCountMax && !this.names.has(written)) return;
    const name = this.nameOf(written);
    const { kind, ends, within } = name;
    if (ends.length > 0) this.applyImpliedEnd(ends, within);
    if (kind.isVoid || this.stack.length >= openElementCountMax) return;
    const index = this.stack.length;
    const hides = visibility === "hidden";
    this.stack.push({ name, hides, tinyOutside: this.tiny, covered: name.innermost, wall: this.wall });
    name.innermost = index;
    if (kind.isWall) this.wall = index;
    if (hides) this.hiding++;
    else if (visibility !== null) this.tiny = visibility === "tiny";
  }

  /** Ends the innermost element of this name and all inside of it; a stray end tag has no effect. */
  close(written: string): void {
    const name = this.names.get(written);
    if (name === undefined || name.innermost < 0) return;
    if (name.innermost >= this.wall || name.kind.isTablePart) this.truncate(name.innermost);
  }

  private nameOf(written: string): Name {
    const known = this.names.get(written);
    if (known !== undefined) return known;
    const name: Name = { kind: kinds.get(written) ?? ordinary, innermost: -1, ends: [], within: [] };
    // Collected first, because elements of a name may end one another.
    this.names.set(written, name);
    for (const other of name.kind.impliedEnd?.ends ?? []) name.ends.push(this.nameOf(other));
    for (const other of name.kind.impliedEnd?.within ?? []) name.within.push(this.nameOf(other));
    return name;
  }

  private applyImpliedEnd(ends: readonly Name[], within: readonly Name[]): void {
    const end = innermostOf(ends);
    if (end >= 0 && end > innermostOf(within)) this.truncate(end);
  }

  private truncate(length: number): void {
    while (this.stack.length > length) {
      const element = this.stack.pop();
      if (element === undefined) return;
      element.name.innermost = element.covered;
      this.wall = element.wall;
      this.tiny = element.tinyOutside;
      if (element.hides) this.hiding--;
    }
  }
}

function innermostOf(names: readonly Name[]): number {
  let innermost = -1;
  for (const name of names) innermost = Math.max(innermost, name.innermost);
  return innermost;
}
