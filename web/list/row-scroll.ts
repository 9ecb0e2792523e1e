/** Scrolling of the list of messages: what stays in view when rows, their height or the window change. */
import type { Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { MessageList } from "./use-message-list.ts";

/** Scrolls to a row, as little as possible. */
export function scrollIntoView(scroller: HTMLElement, { row, height }: { row: number; height: number }): void {
  const top = row * height;
  const view = scroller.clientHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + height > scroller.scrollTop + view) scroller.scrollTop = top + height - view;
}

/**
 * Scrolls to the row of the message that is opened, once the list knows it. When the height of rows changes, the current row
 * keeps its place in view, or else the row at the top.
 */
export function useKeptPlace(
  {
    list,
    openId,
    currentId,
  }: { readonly list: MessageList; readonly openId: string | null; readonly currentId: string | null },
  rows: Virtualizer<HTMLDivElement, Element>,
  { scrollRef, height }: { readonly scrollRef: RefObject<HTMLDivElement | null>; readonly height: number },
): void {
  const current = currentId === null ? -1 : list.rowOf(currentId);
  const former = useRef(height);
  useLayoutEffect(() => {
    const scroller = scrollRef.current;
    const formerHeight = former.current;
    former.current = height;
    rows.measure();
    if (scroller === null || formerHeight === height) return;
    // As of the last scroll event: the element itself has moved already when its place is beyond the end of the new list.
    const scrollTop = rows.scrollOffset ?? 0;
    const { clientHeight } = scroller;
    const isInView = (current + 1) * formerHeight > scrollTop && current * formerHeight < scrollTop + clientHeight;
    const row = current >= 0 && isInView ? current : scrollTop / formerHeight;
    scroller.scrollTop = row * height - (row * formerHeight - scrollTop);
    if (row === current) scrollIntoView(scroller, { row, height });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a change of the height moves rows
  }, [height]);
  useKeptInView(scrollRef, { row: current, height });
  const isKnown = openId !== null && list.rowOf(openId) >= 0;
  useLayoutEffect(() => {
    if (isKnown && scrollRef.current !== null) scrollIntoView(scrollRef.current, { row: current, height });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- new messages must not scroll the list
  }, [openId, isKnown]);
}

/** Keeps a row in view when the list becomes lower, as by a notice above it. */
function useKeptInView(
  scrollRef: RefObject<HTMLDivElement | null>,
  { row, height }: { readonly row: number; readonly height: number },
): void {
  useEffect(() => {
    const scroller = scrollRef.current;
    if (scroller === null || row < 0) return undefined;
    let view = scroller.clientHeight;
    const observer = new ResizeObserver(() => {
      const top = row * height - scroller.scrollTop;
      if (top >= 0 && top + height <= view) scrollIntoView(scroller, { row, height });
      view = scroller.clientHeight;
    });
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [scrollRef, row, height]);
}

/** Keeps the same rows in view when messages arrive above them, and counts those. */
export function useStableScroll(
  list: MessageList,
  scrollRef: RefObject<HTMLDivElement | null>,
  height: number,
): { readonly count: number; readonly toTop: () => void } {
  const newestId = list.at(0)?.id;
  const former = useRef(newestId);
  const [arrived, setArrived] = useState(0);
  useLayoutEffect(() => {
    const above = former.current === undefined ? 0 : list.rowOf(former.current);
    former.current = newestId;
    const scroller = scrollRef.current;
    if (above <= 0 || scroller === null || scroller.scrollTop < height) return;
    scroller.scrollTop += above * height;
    setArrived((count) => count + above);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a new first row is a new message
  }, [newestId]);
  useEffect(() => {
    const scroller = scrollRef.current;
    const onScroll = (): void => {
      if (scroller !== null && scroller.scrollTop < height) setArrived(0);
    };
    scroller?.addEventListener("scroll", onScroll, { passive: true });
    return () => scroller?.removeEventListener("scroll", onScroll);
  }, [scrollRef, height]);
  return {
    count: arrived,
    toTop: () => {
      scrollRef.current?.scrollTo({ top: 0 });
      setArrived(0);
    },
  };
}
