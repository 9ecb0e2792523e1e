/**
 * Bounds how deeply a mail's elements are nested before a browser lays them out: thousands of levels, which no mail has
 * but those that are made to do harm, end the tab that shows them.
 */

/** Elements without content (HTML Standard §13.1.2), and those whose end is implied by the next of their kind. */
const flatElements: ReadonlySet<string> = new Set(
  (
    "area base br col embed hr img input link meta param source track wbr " +
    "body dd dt head html li optgroup option p rp rt"
  ).split(" "),
);
/** Their content is no markup. */
const rawElements: ReadonlySet<string> = new Set([
  "script",
  "style",
  "textarea",
  "title",
  "xmp",
  "noembed",
  "noframes",
]);
/** What the start of a cell, row or row group ends when it is still open. */
const impliedEnds: Readonly<Record<string, readonly string[]>> = {
  td: ["td", "th"],
  th: ["td", "th"],
  tr: ["td", "th", "tr"],
  tbody: ["td", "th", "tr", "tbody", "thead", "tfoot"],
  thead: ["td", "th", "tr", "tbody", "thead", "tfoot"],
  tfoot: ["td", "th", "tr", "tbody", "thead", "tfoot"],
};
/** No end tag within reaches what is open outside of them (§13.2.4.2). */
const scopes: ReadonlySet<string> = new Set(["table", "td", "th", "caption", "button", "object", "select", "template"]);
/** How far an end tag looks for its start; sloppy mails leave few elements open, and the search must cost little. */
const searchMax = 8;

/**
 * The HTML with no element nested more than `depthMax` deep: deeper tags are left out, their content stays. HTML within
 * the bound comes back as it is. Where tags do not match, depth is rather over- than underrated. Linear in the HTML.
 */
export function flattenHtml(html: string, depthMax: number): string {
  const open: string[] = [];
  const kept: string[] = [];
  let keptTo = 0;
  const leaveOut = (from: number, to: number): void => {
    kept.push(html.slice(keptTo, from));
    keptTo = to;
  };
  for (const tag of tagsOf(html)) {
    if (tag.isEnd) {
      const at = findOpen(open, tag.name);
      if (at < 0 ? open.length > depthMax : at >= depthMax) leaveOut(tag.start, tag.end);
      if (at >= 0) open.length = at;
      continue;
    }
    endImplied(open, tag.name);
    if (open.length >= depthMax) leaveOut(tag.start, tag.end);
    open.push(tag.name);
  }
  return kept.length === 0 ? html : kept.join("") + html.slice(keptTo);
}

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly start: number;
  readonly end: number;
}

/** Every tag of an element that can nest, in order. */
function* tagsOf(html: string): Generator<Tag, void> {
  for (let at = html.indexOf("<"); at >= 0;) {
    if (html.startsWith("<!--", at)) {
      at = nextTag(html, endOf(html, "-->", at + 4));
      continue;
    }
    const isEnd = html[at + 1] === "/";
    const name = /^[a-z][^\s/>]{0,40}/i.exec(html.slice(at + (isEnd ? 2 : 1), at + 50))?.[0].toLowerCase();
    if (name === undefined) {
      at = nextTag(html, at + 1);
      continue;
    }
    const end = tagEnd(html, at + name.length + 1);
    if (!isEnd && rawElements.has(name)) at = nextTag(html, rawEnd(html, name, end));
    else {
      if (!flatElements.has(name)) yield { name, isEnd, start: at, end };
      at = nextTag(html, end);
    }
  }
}

function nextTag(html: string, from: number): number {
  return html.indexOf("<", from);
}

/** Behind the `>` that is in no quoted value. */
function tagEnd(html: string, from: number): number {
  let at = from;
  while (at < html.length) {
    const character = html[at];
    if (character === ">") return at + 1;
    const isQuote = (character === '"' || character === "'") && html[at - 1] === "=";
    at = isQuote ? endOf(html, character ?? "", at + 1) : at + 1;
  }
  return html.length;
}

/** Where the raw element's own end tag begins; the rest of the HTML where it never comes. */
function rawEnd(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}[\\s/>]`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

function endOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

function endImplied(open: string[], name: string): void {
  const ended = impliedEnds[name];
  while (ended?.includes(open.at(-1) ?? "") === true) open.pop();
}

/** The level of the element that an end tag ends; -1 where it ends none. */
function findOpen(open: readonly string[], name: string): number {
  const lowest = Math.max(0, open.length - searchMax);
  for (let at = open.length - 1; at >= lowest; at -= 1) {
    const found = open[at] ?? "";
    if (found === name) return at;
    if (scopes.has(found) && !isTablePart(name)) return -1;
  }
  return -1;
}

function isTablePart(name: string): boolean {
  return name === "table" || name in impliedEnds;
}
