import { useEffect, type RefObject } from "react";
import { findRanges } from "./find-ranges.ts";

const highlightName = "search-match";
/** The same object for all marks: browsers do not repaint the marks of one that is replaced. */
let highlight: Highlight | undefined;
/** Ranges that are marked at once; a list shows far fewer. */
const rangeCountMax = 2000;

/**
 * Marks the terms in the list items within an element, by the CSS Custom Highlight API: the document does not change. Browsers
 * without it show no marks.
 */
export function useHighlights(ref: RefObject<HTMLElement | null>, terms: readonly string[]): void {
  const key = JSON.stringify(terms);
  useEffect(() => {
    const root = ref.current;
    const wanted = JSON.parse(key) as readonly string[];
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

function rangesIn(root: HTMLElement, terms: readonly string[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const nodes of textsOf(root)) {
    const text = nodes.map(({ data }) => data).join("");
    for (const { start, end } of findRanges(text, terms)) {
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

/** Returns the text nodes of list items; those within one link are read as one text, for example an address. */
function textsOf(root: HTMLElement): readonly (readonly [Text, ...Text[]])[] {
  const texts = new Map<Element, [Text, ...Text[]]>();
  for (const item of root.querySelectorAll("li:not([data-unmarked] *)")) {
    const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!(node instanceof Text) || parent === null || parent.tagName === "TIME") continue;
      const owner = parent.closest("a") ?? parent;
      const others = texts.get(owner);
      if (others === undefined) texts.set(owner, [node]);
      else others.push(node);
    }
  }
  return [...texts.values()];
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
