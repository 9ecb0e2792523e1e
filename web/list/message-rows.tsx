import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type PointerEvent, type ReactElement, type RefObject } from "react";
import type { MarksOf } from "../api/mark-state.ts";
import { usePrefetchMessage } from "../api/messages.ts";
import { Button } from "../shared/button.tsx";
import { findRanges } from "../shared/find-ranges.ts";
import { termsIn, type SearchedText } from "../shared/use-highlights.ts";
import { strings } from "../strings.ts";
import styles from "./list.module.css";
import { MessageRow, type RowActions, type RowPosition } from "./message-row.tsx";
import { scrollIntoView, useKeptPlace, useStableScroll } from "./row-scroll.ts";
import type { MessageList } from "./use-message-list.ts";
import { usePassages } from "./use-passages.ts";
import type { Selection } from "./use-selection.ts";

/** Props of {@link MessageRows}. */
export interface MessageRowsProps {
  readonly list: MessageList;
  readonly selection: Selection;
  /** Terms of the search. */
  readonly terms: readonly SearchedText[];
  readonly openId: string | null;
  /** Id of the open message or, without one, of the message that was open last. */
  readonly currentId: string | null;
  readonly marksOf: MarksOf;
  readonly onStar: RowActions["onStar"];
  readonly onTag: RowActions["onTag"];
  readonly hrefOf: (id: string) => string;
  /** Whether the messages were sent: nobody has to read them. */
  readonly isSent: boolean;
  /** Whether each message takes one line instead of two. */
  readonly isWide: boolean;
  /** Moves the focus to a row; assigned by the list. */
  readonly focusRef: RefObject<(row: number) => void>;
}

const rowHeights = { wide: 38, narrow: 70 };
const settleMs = 60;

/** Rows of a list of any length; only those in view, the current one and the one with the focus are rendered. */
export function MessageRows(props: MessageRowsProps): ReactElement {
  const { list, isWide, currentId, focusRef } = props;
  const onPointerDown = usePrefetchOnPress();
  const scrollRef = useRef<HTMLDivElement>(null);
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const height = isWide ? rowHeights.wide : rowHeights.narrow;
  const pinned = [list.rowOf(focusedId ?? ""), list.rowOf(currentId ?? "")].filter((row) => row >= 0);
  const rows = useVirtualizer({
    count: list.count,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => height,
    overscan: 12,
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), ...pinned])],
  });
  useLoadVisibleRows(list, rows);
  useKeptPlace(props, rows, { scrollRef, height });
  const arrivals = useStableScroll(list, scrollRef, height);
  useEffect(() => {
    focusRef.current = (row) => focusRow(scrollRef.current, list.at(row)?.id, { row, height });
  });
  const { startIndex: first = 0, endIndex: last = -1 } = rows.range ?? {};
  const passages = usePassages(list, props.terms, { first, last });
  const shown = rows.getVirtualItems().map(({ index }) => index);
  const tabStop = tabStopOf(list, pinned[0], rows.range?.startIndex);
  return (
    <div className={styles.listScroll} ref={scrollRef} role="region" aria-label={strings.list.label}>
      {arrivals.count > 0 && (
        <div className={styles.arrivals}>
          <Button variant="primary" onClick={arrivals.toTop}>
            {strings.list.arrived(arrivals.count)}
          </Button>
        </div>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only follows the focus of the links within, and presses on them */}
      <ul
        className={styles.listRows}
        style={{ height: list.count * height }}
        onFocus={({ target }) => setFocusedId(target.closest<HTMLElement>("[data-id]")?.dataset["id"] ?? null)}
        onPointerDown={onPointerDown}
      >
        {shown.map((index) => (
          <Row
            key={list.at(index)?.id ?? index}
            index={index}
            top={index * height}
            height={height}
            isTabStop={index === tabStop}
            passages={passages}
            {...props}
          />
        ))}
      </ul>
    </div>
  );
}

/** Returns a listener that begins to load the message whose row is pressed: the click ends some 100 ms later. */
function usePrefetchOnPress(): (event: PointerEvent) => void {
  const prefetch = usePrefetchMessage();
  return ({ target }) => {
    const row = target instanceof Element && target.closest("a") !== null ? target.closest("li") : null;
    if (row?.dataset["id"] !== undefined) prefetch(row.dataset["id"]);
  };
}

/** Returns the one row that the Tab key reaches: the one that had the focus last, the current one, or the first in view. */
function tabStopOf(list: MessageList, pinned: number | undefined, firstShown: number | undefined): number {
  if (pinned !== undefined) return pinned;
  return firstShown !== undefined && list.at(firstShown) !== undefined ? firstShown : 0;
}

function focusRow(
  scroller: HTMLElement | null,
  id: string | undefined,
  position: { row: number; height: number },
): void {
  if (scroller === null || id === undefined) return;
  scrollIntoView(scroller, position);
  const focus = (): boolean => {
    const link = scroller.querySelector<HTMLElement>(`[data-id="${id}"] > a`);
    link?.focus({ preventScroll: true });
    return link !== null;
  };
  // A row that comes into view is rendered with the next frame.
  if (!focus()) requestAnimationFrame(focus);
}

function Row(
  props: MessageRowsProps & {
    readonly index: number;
    readonly isTabStop: boolean;
    readonly passages: ReadonlyMap<string, string>;
  } & RowPosition,
): ReactElement {
  const { list, selection, terms, openId, marksOf, hrefOf, index, isTabStop, top, height, onStar, onTag } = props;
  const message = list.at(index);
  if (message === undefined) return <PlaceholderRow top={top} height={height} />;
  return (
    <MessageRow
      message={message}
      excerpt={list.excerpts.get(message.id)}
      href={hrefOf(message.id)}
      isOpen={message.id === openId}
      marks={marksOf(message.id)}
      isSent={props.isSent}
      foundFile={foundFile(list.excerpts.get(message.id)?.files ?? [], terms)}
      passage={props.passages.get(message.id)}
      sharedDomain={list.sharedDomain}
      isChecked={selection.ids.has(message.id)}
      isTabStop={isTabStop}
      position={index + 1}
      count={list.isOpenEnded ? -1 : list.count}
      top={top}
      height={height}
      onCheck={onStar === null ? null : selection.toggle}
      onStar={onStar}
      onTag={onTag}
    />
  );
}

/** Returns the first file name that contains a term of the search. */
function foundFile(files: readonly string[], terms: readonly SearchedText[]): string | null {
  const wanted = termsIn("file", terms);
  return files.find((name) => findRanges(name, wanted).length > 0) ?? null;
}

function PlaceholderRow({ top, height }: RowPosition): ReactElement {
  return (
    <li className={styles.messageRow} style={{ top, height }} aria-hidden>
      <span className={styles.skeleton} />
      <span className={styles.skeleton} />
    </li>
  );
}

/**
 * Loads the rows in view, and those around them. While none of the rows in view is loaded, as after a jump, waits until
 * scrolling has stopped: rows that only pass by are not requested.
 */
function useLoadVisibleRows(list: MessageList, rows: Virtualizer<HTMLDivElement, Element>): void {
  const first = rows.range?.startIndex ?? 0;
  const last = rows.range?.endIndex ?? 0;
  const { loadRows } = list;
  const isNear = list.at(first) !== undefined || list.at(last) !== undefined;
  useEffect(() => {
    if (isNear) {
      loadRows(first, last);
      return undefined;
    }
    const timer = window.setTimeout(() => loadRows(first, last), settleMs);
    return () => clearTimeout(timer);
  });
}
