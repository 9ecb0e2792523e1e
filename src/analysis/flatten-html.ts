/**
 * Limits the nesting of a mail's elements before a browser renders it: thousands of levels, which only malicious mail
 * has, crash the tab.
 */
import { scanHtml } from "./html-scanner.ts";
import { rawTextElements } from "./html-characters.ts";

/** Elements without content (HTML Standard §13.1.2), and those whose end is implied by the next of their kind. */
const flatElements: ReadonlySet<string> = new Set(
  (
    "area base br col embed hr img input link meta param source track wbr " +
    "body dd dt head html li optgroup option p rp rt"
  ).split(" "),
);
/** Open elements that the start of a cell, row or row group ends. */
const impliedEnds: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    td: ["td", "th"],
    th: ["td", "th"],
    tr: ["td", "th", "tr"],
    tbody: ["td", "th", "tr", "tbody", "thead", "tfoot"],
    thead: ["td", "th", "tr", "tbody", "thead", "tfoot"],
    tfoot: ["td", "th", "tr", "tbody", "thead", "tfoot"],
  }),
);
/** Elements that end tags inside of them do not end (§13.2.4.2). */
const scopes: ReadonlySet<string> = new Set(["table", "td", "th", "caption", "button", "object", "select", "template"]);
/**
 * Open elements that an end tag is compared with; malformed mail leaves few elements open, and the search must be
 * cheap.
 */
const searchMax = 8;

/**
 * Returns the HTML with no element nested more than `depthMax` deep: deeper tags are removed, their content is kept.
 * HTML within the limit is returned unchanged. Where tags do not match, the depth is overestimated rather than
 * underestimated. Linear in the HTML.
 */
export function flattenHtml(html: string, depthMax: number): string {
  const open: string[] = [];
  const chunks: string[] = [];
  let copiedTo = 0;
  const remove = (from: number, to: number): void => {
    chunks.push(html.slice(copiedTo, from));
    copiedTo = to;
  };
  scanHtml(html, {
    text: () => undefined,
    open: ({ name, start, end }) => {
      if (!canNest(name)) return;
      endImplied(open, name);
      if (open.length >= depthMax) remove(start, end);
      open.push(name);
    },
    close: (name, start, end) => {
      if (!canNest(name)) return;
      const at = findOpen(open, name);
      if (at < 0 ? open.length > depthMax : at >= depthMax) remove(start, end);
      if (at >= 0) open.length = at;
    },
  });
  return chunks.length === 0 ? html : chunks.join("") + html.slice(copiedTo);
}

function canNest(name: string): boolean {
  return !flatElements.has(name) && !rawTextElements.has(name);
}

function endImplied(open: string[], name: string): void {
  const implied = impliedEnds.get(name);
  while (implied?.includes(open.at(-1) ?? "") === true) open.pop();
}

/** Returns the level of the element that an end tag ends; -1 if it ends none. */
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
