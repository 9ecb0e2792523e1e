import { useCallback, useEffect, useRef, useState } from "react";
import type { SparseList } from "./sparse-list.ts";

/** Messages that are selected for a common action. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** The results that were selected together, if nothing was deselected since; null for single messages. */
  readonly results: SelectedResults | null;
  /**
   * Selects or deselects a message; with `isRange`, selects everything between it and the one toggled before. The same
   * function for as long as the component is mounted.
   */
  readonly toggle: (id: string, isRange: boolean) => void;
  /** Selects these messages and no others. */
  readonly select: (ids: readonly string[], results: SelectedResults | null) => void;
  readonly clear: () => void;
}

/** All results of a query, or the newest of them. */
export interface SelectedResults {
  /** Time at which the newest of them was received, in milliseconds since the epoch. */
  readonly newestAt: number;
  /** Whether there are older results, which are not selected. */
  readonly hasMore: boolean;
}

const none: ReadonlySet<string> = new Set();

/** Returns a selection of a list's messages; it is empty at first, and whenever `name`, the name of the list, changes. */
export function useSelection(list: SparseList, name: string): Selection {
  const [ids, setIds] = useState(none);
  const [results, setResults] = useState<SelectedResults | null>(null);
  const [formerName, setFormerName] = useState(name);
  if (formerName !== name) {
    setFormerName(name);
    setIds(none);
    setResults(null);
  }
  const anchor = useRef<string | null>(null);
  const latest = useRef(list);
  useEffect(() => {
    latest.current = list;
  });
  const toggle = useCallback((id: string, isRange: boolean) => {
    const between = isRange && anchor.current !== null ? idsBetween(latest.current, anchor.current, id) : null;
    anchor.current = id;
    setResults(null);
    setIds((former) => {
      const next = new Set(former);
      if (between !== null) for (const one of between) next.add(one);
      else if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const select = useCallback((selected: readonly string[], from: SelectedResults | null) => {
    setIds(new Set(selected));
    setResults(from);
  }, []);
  const clear = useCallback(() => {
    setIds(none);
    setResults(null);
  }, []);
  return { ids, results, toggle, select, clear };
}

/** Returns the ids from one message to another, both included; rows that are not loaded are left out. */
function idsBetween(list: SparseList, one: string, other: string): readonly string[] {
  const [first = 0, last = -1] = [list.rowOf(one), list.rowOf(other)].toSorted((a, b) => a - b);
  if (first < 0) return [other];
  return Array.from({ length: last - first + 1 }, (_, at) => list.at(first + at)?.id ?? "").filter((id) => id !== "");
}
