import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type ReactElement,
  type RefObject,
} from "react";
import { strings } from "../strings.ts";
import type { Summary } from "../wire.ts";
import { MessageRow } from "./message-row.tsx";
import type { MessageList } from "./use-message-list.ts";
import type { Selection } from "./use-selection.ts";

/** What the rows of a list need. */
export interface RowsProps {
  readonly list: MessageList;
  readonly selection: Selection;
  readonly openId: string | null;
  readonly isRead: (message: Summary) => boolean;
  readonly hrefOf: (id: string) => string;
  /** Whether one line a message is enough. */
  readonly isWide: boolean;
  /** Takes the focus to a row; set by the list. */
  readonly focusRef: RefObject<(row: number) => void>;
}

const rowHeights = { wide: 38, narrow: 70 };
const settleMs = 60;

/** The rows of a list of any length: only those in sight exist. */
export function MessageRows(props: RowsProps): ReactElement {
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
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard
    <div className="list-scroll" ref={scrollRef} tabIndex={0} role="region" aria-label={strings.list.label}>
      {arrivals.count > 0 && (
        <div className="arrivals">
          <button type="button" className="button primary" onClick={arrivals.toTop}>
            {strings.list.arrived(arrivals.count)}
          </button>
        </div>
      )}
      <ul className="list-rows" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, size }) => (
          <Row key={list.at(index)?.id ?? index} index={index} style={{ height: size, top: start }} {...props} />
        ))}
      </ul>
    </div>
  );
}

function Row(props: RowsProps & { readonly index: number; readonly style: CSSProperties }): ReactElement {
  const { list, selection, openId, isRead, hrefOf, index, style } = props;
  const message = list.at(index);
  if (message === undefined) return <PlaceholderRow style={style} />;
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
      style={style}
      onCheck={selection.toggle}
    />
  );
}

function PlaceholderRow({ style }: { readonly style: CSSProperties }): ReactElement {
  return (
    <li className="mail-row" style={style} aria-hidden>
      <span className="bone" style={{ gridArea: "to", width: "45%", alignSelf: "center" }} />
      <span className="bone" style={{ gridArea: "about", width: "80%", alignSelf: "center" }} />
    </li>
  );
}

/** Has the rows in sight read, once scrolling has come to rest: what flies past is not asked for. */
function useLoadVisibleRows(list: MessageList, rows: Virtualizer<HTMLDivElement, Element>): void {
  const first = rows.range?.startIndex ?? 0;
  const last = rows.range?.endIndex ?? 0;
  const { want } = list;
  useEffect(() => {
    const timer = window.setTimeout(() => {
      want(first, last);
    }, settleMs);
    return () => {
      clearTimeout(timer);
    };
  });
}

/** Steps from message to message take the list with them. */
function useScrollToOpenRow({ list, openId }: RowsProps, rows: Virtualizer<HTMLDivElement, Element>): void {
  useEffect(() => {
    const row = openId === null ? -1 : list.rowOf(openId);
    if (row >= 0) rows.scrollToIndex(row, { align: "auto" });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- arrivals must not move what is looked at
  }, [openId]);
}

/** Whoever has scrolled down keeps looking at the same rows when others arrive above, and is told of those. */
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
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a new first row is an arrival
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
