/**
 * Bounds how deeply a mail's elements are nested before a browser lays them out: thousands of levels, which no mail has
 * but those that are made to do harm, end the tab that shows them.
 */
import { rawTextElements, scanHtml } from "./html-scanner.ts";

/** Elements without content (HTML Standard §13.1.2), and those whose end is implied by the next of their kind. */
const flatElements: ReadonlySet<string> = new Set(
  (
    "area base br col embed hr img input link meta param source track wbr " +
    "body dd dt head html li optgroup option p rp rt"
  ).split(" "),
);
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
  scanHtml(html, {
    text: () => undefined,
    open: ({ name, start, end }) => {
      if (!canNest(name)) return;
      endImplied(open, name);
      if (open.length >= depthMax) leaveOut(start, end);
      open.push(name);
    },
    close: (name, start, end) => {
      if (!canNest(name)) return;
      const at = findOpen(open, name);
      if (at < 0 ? open.length > depthMax : at >= depthMax) leaveOut(start, end);
      if (at >= 0) open.length = at;
    },
  });
  return kept.length === 0 ? html : kept.join("") + html.slice(keptTo);
}

function canNest(name: string): boolean {
  return !flatElements.has(name) && !rawTextElements.has(name);
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
