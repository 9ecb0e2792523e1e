/** Flags and tags of messages as this page knows them: those of the service, and changes that it has not confirmed. */
import { useCallback } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import type { MarkChange, MarkedMessage, MessageMarks } from "../wire.ts";

/** Change of marks that the service has not confirmed. */
interface PendingChange {
  readonly ids: ReadonlySet<string>;
  readonly change: MarkChange;
}

interface MarksState {
  readonly stored: ReadonlyMap<string, MarkedMessage>;
  readonly pending: readonly PendingChange[];
}

/** Most messages whose marks are kept; beyond it the oldest are evicted. */
const storedMax = 40_000;

const state = createStore<MarksState>(() => ({ stored: new Map(), pending: [] }));
/** By server: the number of the change up to which its marks are known. */
const cursors = new Map<string, number>();

/** Returns the marks of a message; undefined while they are unknown. */
export type MarksOf = (id: string) => MessageMarks | undefined;

/** Returns a function that looks up marks; another one whenever any marks change. */
export function useMarks(): MarksOf {
  const marks = useStore(state);
  return useCallback((id) => marksIn(marks, id), [marks]);
}

/** Returns the marks of a message; undefined while they are unknown. */
export function useMarksOf(id: string): MessageMarks | undefined {
  const { pending } = useStore(state);
  const stored = useStore(state, (marks) => marks.stored.get(id));
  return marksIn({ stored: new Map(stored === undefined ? [] : [[id, stored]]), pending }, id);
}

/** Returns the current marks of a message; undefined while they are unknown. */
export function marksOf(id: string): MessageMarks | undefined {
  return marksIn(state.getState(), id);
}

/** Keeps marks as the service returned them, unless newer ones are known. */
export function noteMarks(marked: readonly MarkedMessage[]): void {
  if (marked.length === 0) return;
  const stored = new Map(state.getState().stored);
  for (const one of marked) {
    if ((stored.get(one.id)?.sequence ?? -1) > one.sequence) continue;
    stored.delete(one.id);
    stored.set(one.id, one);
  }
  for (const id of stored.keys()) {
    if (stored.size <= storedMax) break;
    stored.delete(id);
  }
  state.setState({ stored });
}

/**
 * Notes that a page of a list shows the changes of a server up to `cursor`. Marks are followed from the lowest number on: a
 * response that is older costs repeated changes, and a service that was emptied counts from the start.
 */
export function noteCursor(server: string, cursor: number): void {
  cursors.set(server, Math.min(cursor, cursors.get(server) ?? cursor));
}

/** Returns the number of the change after which marks of a server have to be read; undefined before its list is loaded. */
export function marksCursor(server: string): number | undefined {
  return cursors.get(server);
}

/** Notes that the marks of a server are known up to the change with this number. */
export function advanceCursor(server: string, cursor: number): void {
  cursors.set(server, cursor);
}

/** Shows a change before the service confirms it; returns a function that ends this, and keeps the change if it was confirmed. */
export function showPending(ids: readonly string[], change: MarkChange): (isConfirmed: boolean) => void {
  const own: PendingChange = { ids: new Set(ids), change };
  state.setState(({ pending }) => ({ pending: [...pending, own] }));
  return (isConfirmed) => {
    if (isConfirmed) {
      const { stored } = state.getState();
      const known = ids.flatMap((id) => stored.get(id) ?? []);
      noteMarks(known.map((former) => ({ ...former, ...withChange(former, change) })));
    }
    state.setState(({ pending }) => ({ pending: pending.filter((one) => one !== own) }));
  };
}

const noMarks: MessageMarks = { flags: [], tags: [] };

function marksIn({ stored, pending }: MarksState, id: string): MessageMarks | undefined {
  let marks: MessageMarks | undefined = stored.get(id);
  for (const { ids, change } of pending) if (ids.has(id)) marks = withChange(marks ?? noMarks, change);
  return marks;
}

/** Returns marks after a change, as the service applies it: removals first, tags compared without case. */
function withChange({ flags, tags }: MessageMarks, change: MarkChange): MessageMarks {
  const { addFlags = [], removeFlags = [], addTags = [], removeTags = [] } = change;
  const removed = new Set(removeTags.map((tag) => tag.toLowerCase()));
  const kept = tags.filter((tag) => !removed.has(tag.toLowerCase()));
  const present = new Set(kept.map((tag) => tag.toLowerCase()));
  const added = addTags.filter((tag) => !present.has(tag.toLowerCase()));
  return {
    flags: [...new Set([...flags.filter((flag) => !removeFlags.includes(flag)), ...addFlags])],
    tags: added.length === 0 && kept.length === tags.length ? tags : [...kept, ...added].toSorted(),
  };
}
