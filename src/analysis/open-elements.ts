/**
 * Stack of open elements (HTML Standard §13.2.4.2), as far as it decides which text is hidden: mail omits end tags,
 * adds stray ones and misnests them, and a hidden cell must not hide the rest of the mail.
 */
import { elementNameCountMax, openElementCountMax } from "./bounds.ts";
import { type Separator, separators } from "./visible-text.ts";
import { decodeReferences } from "./html-characters.ts";
import type { StartTag } from "./html-scanner.ts";

/** Properties of the elements of one name, as far as they decide which text is visible and how it is separated. */
interface ElementKind {
  /** Number of the name; below {@link knownNameCount} for the names of HTML. */
  readonly index: number;
  /** True if the element has no end tag. */
  readonly isVoid: boolean;
  /** True if end tags of other elements have no effect outside of it (HTML Standard §13.2.4.2, "in scope"). */
  readonly isWall: boolean;
  readonly isTablePart: boolean;
  /** True if its content is never rendered. */
  readonly isNeverShown: boolean;
  readonly isPreformatted: boolean;
  /** Elements that its start tag ends (HTML Standard §13.1.2.4); null if there are none. */
  readonly impliedEnd: ImpliedEnd | null;
  /** Separator before and after the element. */
  readonly separator: Separator;
}

/** Elements that a start tag ends, by the indexes of their kinds. */
interface ImpliedEnd {
  /** Open elements that the start tag ends. */
  readonly ends: readonly number[];
  /** Elements that protect those outside of them. */
  readonly within: readonly number[];
}

const voidElements = list(
  "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr",
);
const walls = list("td th caption table template object marquee");
const tableParts = list("table thead tbody tfoot tr td th caption body html");
const neverShown = list("template datalist audio canvas");
const cells = list("td th");
const lines = list(
  "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure " +
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol option p pre section summary table " +
    "tbody tfoot thead tr ul",
);
const ordinary = list(
  "a abbr b bdo big button cite code del em font head html i ins kbd label mark noscript q s samp script select small " +
    "span strike strong style sub sup svg textarea time title tt u var video",
);
const names = [...new Set([voidElements, walls, tableParts, neverShown, cells, lines, ordinary].flat())];

const item = impliedEnd("li", "ul ol");
const definition = impliedEnd("dt dd", "dl");
const cell = impliedEnd("td th", "table");
const row = impliedEnd("tr", "table");
const rows = impliedEnd("thead tbody tfoot", "table");
const paragraph = impliedEnd("p", "td th table");
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
  ...list("p div ul ol dl pre h1 h2 h3 h4 h5 h6 hr center blockquote").map((name): [string, ImpliedEnd] => [
    name,
    paragraph,
  ]),
]);

const kinds: ReadonlyMap<string, ElementKind> = new Map(names.map((name, index) => [name, describe(name, index)]));

const plain = describe("", -1);

/** Number of the names that {@link kindOf} knows. */
const knownNameCount: number = names.length;

/** Returns the kind of the elements with a name of HTML, in lower case; undefined for other names. */
function kindOf(name: string): ElementKind | undefined {
  return kinds.get(name);
}

/** Returns the kind of elements with a name that is not one of HTML. */
function unknownKind(index: number): ElementKind {
  return { ...plain, index };
}

function describe(name: string, index: number): ElementKind {
  return {
    index,
    isVoid: voidElements.includes(name),
    isWall: walls.includes(name),
    isTablePart: tableParts.includes(name),
    isNeverShown: neverShown.includes(name),
    isPreformatted: name === "pre",
    impliedEnd: impliedEnds.get(name) ?? null,
    separator: cells.includes(name) ? separators.cell : lines.includes(name) ? separators.line : separators.none,
  };
}

function impliedEnd(ends: string, within: string): ImpliedEnd {
  const indexesOf = (written: string): number[] => list(written).map((name) => names.indexOf(name));
  return { ends: indexesOf(ends), within: indexesOf(within) };
}

function list(written: string): string[] {
  return written.split(" ");
}

interface OpenElement {
  kind: ElementKind;
  hides: boolean;
  /** True if text outside of this element has font size zero. */
  tinyOutside: boolean;
  /** Position of the open element of the same name that this one covers; -1 if there is none. */
  covered: number;
  /** Position of the innermost table cell or similar outside of this one; -1 if there is none. */
  wall: number;
}

/** Kind of elements whose name is one too many. */
const untracked: ElementKind = unknownKind(-1);
const noneOpen: readonly number[] = Array.from({ length: knownNameCount }, () => -1);

/** Applies start and end tags in amortised constant time each. */
export class OpenElements {
  // The open elements are the first `count`; the others are kept to be used again.
  private readonly stack: OpenElement[] = [];
  private count = 0;
  /** Position of the innermost open element of each kind; -1 if there is none. */
  private readonly innermost = noneOpen.slice();
  private readonly unknown = new Map<string, ElementKind>();
  private wall = -1;
  private hiding = 0;
  private tiny = false;

  /** True if text at this point is hidden. */
  get hidden(): boolean {
    return this.tiny || this.hiding > 0;
  }

  /** Returns the kind of the element. */
  open(name: string, visibility: Visibility): ElementKind {
    const kind = this.kindOf(name) ?? this.add(name);
    if (kind.impliedEnd !== null) this.applyImpliedEnd(kind.impliedEnd);
    if (kind.isVoid || kind === untracked || this.count >= openElementCountMax) return kind;
    this.push(kind, kind.isNeverShown || visibility === "hidden");
    if (visibility === "tiny") this.tiny = true;
    else if (visibility === "sized") this.tiny = false;
    return kind;
  }

  /** Ends the innermost element of this name and all inside of it; a stray end tag has no effect. Returns its kind. */
  close(name: string): ElementKind {
    const kind = this.kindOf(name);
    if (kind === undefined) return untracked;
    const position = this.innermostOf(kind.index);
    if (position >= 0 && (position >= this.wall || kind.isTablePart)) this.truncate(position);
    return kind;
  }

  private kindOf(name: string): ElementKind | undefined {
    return kindOf(name) ?? this.unknown.get(name);
  }

  /** Starts tracking a name that is not one of HTML, up to the limit. */
  private add(name: string): ElementKind {
    if (this.unknown.size >= elementNameCountMax) return untracked;
    const kind = unknownKind(this.innermost.length);
    this.innermost.push(-1);
    this.unknown.set(name, kind);
    return kind;
  }

  private push(kind: ElementKind, hides: boolean): void {
    const { count: position, tiny: tinyOutside, wall } = this;
    const covered = this.innermostOf(kind.index);
    const element = this.stack[position];
    if (element === undefined) {
      this.stack.push({ kind, hides, tinyOutside, covered, wall });
    } else {
      element.kind = kind;
      element.hides = hides;
      element.tinyOutside = tinyOutside;
      element.covered = covered;
      element.wall = wall;
    }
    this.count++;
    this.innermost[kind.index] = position;
    if (kind.isWall) this.wall = position;
    if (hides) this.hiding++;
  }

  private applyImpliedEnd({ ends, within }: ImpliedEnd): void {
    const end = this.innermostAmong(ends);
    if (end >= 0 && end > this.innermostAmong(within)) this.truncate(end);
  }

  private truncate(count: number): void {
    while (this.count > count) {
      const element = this.stack[--this.count];
      if (element === undefined) return;
      this.innermost[element.kind.index] = element.covered;
      this.wall = element.wall;
      this.tiny = element.tinyOutside;
      if (element.hides) this.hiding--;
    }
  }

  private innermostAmong(indexes: readonly number[]): number {
    let innermost = -1;
    for (const index of indexes) innermost = Math.max(innermost, this.innermostOf(index));
    return innermost;
  }

  private innermostOf(index: number): number {
    return this.innermost[index] ?? -1;
  }
}

/**
 * Effect of an element on the text inside: `hidden` permanently, `tiny` (font size zero) until an element inside is
 * `sized` again, as mail layouts do in nearly every cell; null for no effect.
 */
export type Visibility = "hidden" | "tiny" | "sized" | null;

// Only zero hides: `opacity: 0.9` and `max-height: 0.5em` show something.
const zero = String.raw`\s*:\s*0+(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:!\s*important\s*)?(?:;|$)`;
const start = String.raw`(?:^|[;\s])`;
const hiding = new RegExp(
  `${start}(?:display\\s*:\\s*none|visibility\\s*:\\s*(?:hidden|collapse)|(?:opacity|max-height|max-width)${zero})`,
  "i",
);
const flat = new RegExp(`${start}(?:height|width)${zero}`, "i");
const clipped = /overflow\s*:\s*hidden/i;
const sizeZero = new RegExp(`${start}font-size${zero}`, "i");
const sized = /font(?:-size|:)/i;
/** Matches all styles that hide anything, and few others: most styles need no closer look. */
const mayHide = /:\s*(?:0|none|hidden|collapse)/i;
const styleLengthMax = 4096;

/**
 * Reads visibility from an element's own attributes: `hidden`, and the inline styles that mail uses to hide preheaders:
 * `display:none`, `visibility:hidden`, `opacity:0`, `max-height:0`, `max-width:0`, a clipped height or width of zero,
 * `font-size:0`. Style sheets are not applied. `mso-hide:all` alone hides nothing: every email client except Outlook
 * shows such text.
 */
export function visibilityOf(tag: StartTag): Visibility {
  if (tag.attribute("hidden") !== undefined) return "hidden";
  const written = tag.attribute("style");
  if (written === undefined) return null;
  const style = decodeReferences(written.slice(0, styleLengthMax), "attribute");
  if (mayHide.test(style)) {
    if (hiding.test(style) || (clipped.test(style) && flat.test(style))) return "hidden";
    if (sizeZero.test(style)) return "tiny";
  }
  return sized.test(style) ? "sized" : null;
}
