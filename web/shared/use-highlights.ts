import { useEffect, type RefObject } from "react";
import { findRanges } from "./find-ranges.ts";

const highlightName = "search-match";
/** The same object for all marks: browsers do not repaint the marks of one that is replaced. */
let highlight: Highlight | undefined;
/** Ranges that are marked at once; a list shows far fewer. */
const rangeCountMax = 2000;

/** Text to mark, and the operator by which it was searched; null for any place. */
export interface SearchedText {
  readonly operator: string | null;
  readonly text: string;
}

/** Fields of a row, in the attribute `data-field`. */
export type RowField = "from" | "to" | "subject" | "body" | "tag" | "code" | "file";

/** Fields that operators search; those of other operators are in no row. */
const searchedFields: Readonly<Record<string, readonly RowField[]>> = {
  from: ["from"],
  sender: ["from"],
  to: ["to"],
  cc: ["to"],
  bcc: ["to"],
  recipient: ["to"],
  addressed: ["from", "to"],
  subject: ["subject"],
  body: ["body"],
  tag: ["tag"],
  filename: ["file"],
  code: ["code"],
};

/** Returns the texts of those terms that are searched in a field. */
export function termsIn(field: string, terms: readonly SearchedText[]): readonly string[] {
  return terms
    .filter(({ operator }) => operator === null || searchedFields[operator]?.some((one) => one === field) === true)
    .map(({ text }) => text);
}

/**
 * Marks the terms in the elements with `data-field` within an element, each in the fields that it was searched in, by the CSS
 * Custom Highlight API: the document does not change. Browsers without it show no marks.
 */
export function useHighlights(ref: RefObject<HTMLElement | null>, terms: readonly SearchedText[]): void {
  const key = JSON.stringify(terms);
  useEffect(() => {
    const root = ref.current;
    const wanted = JSON.parse(key) as readonly SearchedText[];
    if (root === null || wanted.length === 0 || typeof Highlight === "undefined") return undefined;
    let frame = 0;
    const marks = (highlight ??= new Highlight());
    CSS.highlights.set(highlightName, marks);
    const mark = (): void => {
      marks.clear();
      for (const range of rangesIn(root, wanted)) marks.add(range);
    };
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(mark);
    });
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      marks.clear();
    };
  }, [ref, key]);
}

function rangesIn(root: HTMLElement, terms: readonly SearchedText[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const field of root.querySelectorAll<HTMLElement>("[data-field]")) {
    const nodes = textsOf(field);
    const wanted = termsIn(field.dataset["field"] ?? "", terms);
    if (nodes === null || wanted.length === 0) continue;
    const text = nodes.map(({ data }) => data).join("");
    for (const { start, end } of findRanges(text, wanted)) {
      if (ranges.length >= rangeCountMax) return ranges;
      const range = new Range();
      const [from, to] = [placeOf(nodes, start, true), placeOf(nodes, end, false)];
      range.setStart(from.node, from.offset);
      range.setEnd(to.node, to.offset);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Returns the text nodes of a field, which are read as one text, for example an address; null without text. */
function textsOf(field: Element): readonly [Text, ...Text[]] | null {
  const walker = document.createTreeWalker(field, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Text) nodes.push(node);
  }
  const [first, ...others] = nodes;
  return first === undefined ? null : [first, ...others];
}

function placeOf(
  nodes: readonly [Text, ...Text[]],
  offset: number,
  isStart: boolean,
): { readonly node: Text; readonly offset: number } {
  let left = offset;
  for (const node of nodes) {
    if (left < node.length || (!isStart && left === node.length)) return { node, offset: left };
    left -= node.length;
  }
  const last = nodes.at(-1) ?? nodes[0];
  return { node: last, offset: last.length };
}
