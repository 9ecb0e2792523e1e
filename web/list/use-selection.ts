import { useState } from "react";
import type { SparseList } from "./sparse-list.ts";

/** The messages that are chosen for doing something with all of them. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Chooses a message or lets it go; with `isRange`, everything from the last choice to it as well. */
  readonly toggle: (id: string, isRange: boolean) => void;
  readonly clear: () => void;
}

const none: ReadonlySet<string> = new Set();

/** A selection that begins empty. */
export function useSelection(list: SparseList): Selection {
  const [ids, setIds] = useState(none);
  const [anchor, setAnchor] = useState<string | null>(null);
  return {
    ids,
    toggle: (id, isRange) => {
      setAnchor(id);
      setIds((former) => {
        const next = new Set(former);
        if (isRange && anchor !== null) for (const between of idsBetween(list, anchor, id)) next.add(between);
        else if (!next.delete(id)) next.add(id);
        return next;
      });
    },
    clear: () => {
      setIds(none);
    },
  };
}

/** Both ends included; rows that are not there yet are left out. */
function idsBetween(list: SparseList, one: string, other: string): readonly string[] {
  const [first = 0, last = -1] = [list.rowOf(one), list.rowOf(other)].toSorted((a, b) => a - b);
  if (first < 0) return [other];
  return Array.from({ length: last - first + 1 }, (_, at) => list.at(first + at)?.id ?? "").filter((id) => id !== "");
}
