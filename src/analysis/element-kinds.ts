import { type Separator, separators } from "./visible-text.ts";

/** Properties of the elements of one name, as far as they decide which text is visible and how it is separated. */
export interface ElementKind {
  /** True if the element has no end tag. */
  readonly isVoid: boolean;
  /** True if end tags of other elements have no effect outside of it (§13.2.4.2, "in scope"). */
  readonly isWall: boolean;
  readonly isTablePart: boolean;
  /** True if its content is never rendered. */
  readonly isNeverShown: boolean;
  readonly isPreformatted: boolean;
  readonly impliedEnd: ImpliedEnd | null;
  /** Separator before and after the element. */
  readonly separator: Separator;
}

/** Elements that the start tag of an element ends (HTML Standard §13.1.2.4). */
export interface ImpliedEnd {
  /** Open elements that the start tag ends. */
  readonly ends: readonly string[];
  /** Elements that protect those outside of them. */
  readonly within: readonly string[];
}

const voidElements =
  "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr".split(" ");
const walls = ["td", "th", "caption", "table", "template", "object", "marquee"];
const tableParts = "table thead tbody tfoot tr td th caption body html".split(" ");
const neverShown = ["template", "datalist", "audio", "canvas"];
const cells = ["td", "th"];
const lines = (
  "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure " +
  "footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol option p pre section summary table tbody " +
  "tfoot thead tr ul"
).split(" ");

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

const ordinary: ElementKind = describe("");
const kinds: ReadonlyMap<string, ElementKind> = new Map(
  [...voidElements, ...walls, ...tableParts, ...neverShown, ...cells, ...lines, ...impliedEnds.keys()].map((name) => [
    name,
    describe(name),
  ]),
);

/** Returns the properties of the elements named `name`, in lower case. */
export function kindOf(name: string): ElementKind {
  return kinds.get(name) ?? ordinary;
}

function describe(name: string): ElementKind {
  return {
    isVoid: voidElements.includes(name),
    isWall: walls.includes(name),
    isTablePart: tableParts.includes(name),
    isNeverShown: neverShown.includes(name),
    isPreformatted: name === "pre",
    impliedEnd: impliedEnds.get(name) ?? null,
    separator: cells.includes(name) ? separators.cell : lines.includes(name) ? separators.line : separators.none,
  };
}
