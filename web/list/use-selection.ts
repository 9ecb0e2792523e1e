import { useCallback, useEffect, useRef, useState } from "react";
import type { SparseList } from "./sparse-list.ts";

/** Messages that are selected for a common action. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /**
   * Selects or deselects a message; with `isRange`, selects everything between it and the one toggled before. The same
   * function for as long as the component is mounted.
   */
  readonly toggle: (id: string, isRange: boolean) => void;
  readonly clear: () => void;
}

const none: ReadonlySet<string> = new Set();

/** Returns a selection of a list's messages; it is empty at first. */
export function useSelection(list: SparseList): Selection {
  const [ids, setIds] = useState(none);
  const anchor = useRef<string | null>(null);
  const latest = useRef(list);
  useEffect(() => {
    latest.current = list;
  });
  const toggle = useCallback((id: string, isRange: boolean) => {
    const between = isRange && anchor.current !== null ? idsBetween(latest.current, anchor.current, id) : null;
    anchor.current = id;
    setIds((former) => {
      const next = new Set(former);
      if (between !== null) for (const one of between) next.add(one);
      else if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const clear = useCallback(() => {
    setIds(none);
  }, []);
  return { ids, toggle, clear };
}

/** Returns the ids from one message to another, both included; rows that are not loaded are left out. */
function idsBetween(list: SparseList, one: string, other: string): readonly string[] {
  const [first = 0, last = -1] = [list.rowOf(one), list.rowOf(other)].toSorted((a, b) => a - b);
  if (first < 0) return [other];
  return Array.from({ length: last - first + 1 }, (_, at) => list.at(first + at)?.id ?? "").filter((id) => id !== "");
}
