import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type ReactElement, type RefObject } from "react";
import { Button } from "../shared/button.tsx";
import { strings } from "../strings.ts";
import type { Summary } from "../wire.ts";
import styles from "./list.module.css";
import { MessageRow, type RowPosition } from "./message-row.tsx";
import type { MessageList } from "./use-message-list.ts";
import type { Selection } from "./use-selection.ts";

/** Props of {@link MessageRows}. */
export interface MessageRowsProps {
  readonly list: MessageList;
  readonly selection: Selection;
  readonly openId: string | null;
  readonly isRead: (message: Summary) => boolean;
  readonly hrefOf: (id: string) => string;
  /** Whether each message takes one line instead of two. */
  readonly isWide: boolean;
  /** Moves the focus to a row; assigned by the list. */
  readonly focusRef: RefObject<(row: number) => void>;
}

const rowHeights = { wide: 38, narrow: 70 };
const settleMs = 60;

/** Rows of a list of any length; only those in view are rendered. */
export function MessageRows(props: MessageRowsProps): ReactElement {
  const { list, isWide, focusRef } = props;
  const scrollRef = useRef<HTMLDivElement>(null);
  const height = isWide ? rowHeights.wide : rowHeights.narrow;
  const rows = useVirtualizer({
    count: list.count,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => height,
    overscan: 6,
  });
  useEffect(() => {
    rows.measure();
  }, [rows, height]);
  useLoadVisibleRows(list, rows);
  useScrollToOpenRow(props, rows);
  const arrivals = useStableScroll(list, scrollRef, height);
  useEffect(() => {
    focusRef.current = (row) => {
      rows.scrollToIndex(row);
      const id = list.at(row)?.id;
      const focus = (): boolean => {
        const link = scrollRef.current?.querySelector<HTMLElement>(`[data-id="${id ?? ""}"] > a`);
        link?.focus({ preventScroll: true });
        return link !== null && link !== undefined;
      };
      if (!focus()) requestAnimationFrame(focus);
    };
  });
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard
    <div className={styles.listScroll} ref={scrollRef} tabIndex={0} role="region" aria-label={strings.list.label}>
      {arrivals.count > 0 && (
        <div className={styles.arrivals}>
          <Button variant="primary" onClick={arrivals.toTop}>
            {strings.list.arrived(arrivals.count)}
          </Button>
        </div>
      )}
      <ul className={styles.listRows} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, size }) => (
          <Row key={list.at(index)?.id ?? index} index={index} top={start} height={size} {...props} />
        ))}
      </ul>
    </div>
  );
}

function Row(props: MessageRowsProps & { readonly index: number } & RowPosition): ReactElement {
  const { list, selection, openId, isRead, hrefOf, index, top, height } = props;
  const message = list.at(index);
  if (message === undefined) return <PlaceholderRow top={top} height={height} />;
  return (
    <MessageRow
      message={message}
      excerpt={list.excerpts.get(message.id)}
      href={hrefOf(message.id)}
      isOpen={message.id === openId}
      isUnread={!isRead(message)}
      isChecked={selection.ids.has(message.id)}
      position={index + 1}
      count={list.isOpenEnded ? -1 : list.count}
      top={top}
      height={height}
      onCheck={selection.toggle}
    />
  );
}

function PlaceholderRow({ top, height }: RowPosition): ReactElement {
  return (
    <li className={styles.messageRow} style={{ top, height }} aria-hidden>
      <span className={styles.skeleton} />
      <span className={styles.skeleton} />
    </li>
  );
}

/** Loads the rows in view once scrolling has stopped; rows that only pass by are not requested. */
function useLoadVisibleRows(list: MessageList, rows: Virtualizer<HTMLDivElement, Element>): void {
  const first = rows.range?.startIndex ?? 0;
  const last = rows.range?.endIndex ?? 0;
  const { loadRows } = list;
  useEffect(() => {
    const timer = window.setTimeout(() => {
      loadRows(first, last);
    }, settleMs);
    return () => {
      clearTimeout(timer);
    };
  });
}

/** Scrolls to the row of the message that is opened. */
function useScrollToOpenRow({ list, openId }: MessageRowsProps, rows: Virtualizer<HTMLDivElement, Element>): void {
  useEffect(() => {
    const row = openId === null ? -1 : list.rowOf(openId);
    if (row >= 0) rows.scrollToIndex(row, { align: "auto" });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- new messages must not scroll the list
  }, [openId]);
}

/** Keeps the same rows in view when messages arrive above them, and counts those. */
function useStableScroll(
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
    return () => {
      scroller?.removeEventListener("scroll", onScroll);
    };
  }, [scrollRef, height]);
  return {
    count: arrived,
    toTop: () => {
      scrollRef.current?.scrollTo({ top: 0 });
      setArrived(0);
    },
  };
}
