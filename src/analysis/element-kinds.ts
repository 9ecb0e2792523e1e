import { type Separator, separators } from "./visible-text.ts";

/** Properties of the elements of one name, as far as they decide which text is visible and how it is separated. */
export interface ElementKind {
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
export interface ImpliedEnd {
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
export const knownNameCount: number = names.length;

/** Returns the kind of the elements with a name of HTML, in lower case; undefined for other names. */
export function kindOf(name: string): ElementKind | undefined {
  return kinds.get(name);
}

/** Returns the kind of elements with a name that is not one of HTML. */
export function unknownKind(index: number): ElementKind {
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
