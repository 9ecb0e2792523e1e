/** Deleting with a way back: messages leave the list at once, and the service when the time for undoing is over. */
import type { QueryClient } from "@tanstack/react-query";
import { deleteMessage, pagesKey } from "../api/messages.ts";
import { createStore, type Store } from "../shared/store.ts";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";

/** Messages that the list hides, because they are deleted or about to be. */
export const hiddenIds: Store<ReadonlySet<string>> = createStore<ReadonlySet<string>>(new Set<string>());

const undoMs = 5000;
const parallelMax = 4;
const pending = new Set<string>();

addEventListener("pagehide", () => {
  for (const id of pending) void deleteMessage(id, true).catch(() => undefined);
  pending.clear();
});

/** Hides messages and deletes them after five seconds, unless that is undone; leaving the page deletes them at once. */
export function deleteWithUndo(cache: QueryClient, server: string, ids: readonly string[]): void {
  hide(ids);
  for (const id of ids) pending.add(id);
  const timer = window.setTimeout(() => {
    void commit(cache, server, ids);
  }, undoMs);
  const hideToast = showToast({
    text: strings.list.deleted(ids.length),
    durationMs: undoMs,
    action: {
      label: strings.list.undo,
      run: () => {
        clearTimeout(timer);
        for (const id of ids) pending.delete(id);
        show(ids);
        hideToast();
      },
    },
  });
}

async function commit(cache: QueryClient, server: string, ids: readonly string[]): Promise<void> {
  const left = [...ids];
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      if (!pending.delete(id)) continue;
      await deleteMessage(id, false).catch(() => failed.push(id ?? ""));
    }
  };
  await Promise.all(Array.from({ length: parallelMax }, work));
  await cache.invalidateQueries({ queryKey: pagesKey(server) });
  if (failed.length === 0) return;
  show(failed);
  showToast({ text: strings.failed(strings.list.count(failed.length)) });
}

function hide(ids: readonly string[]): void {
  hiddenIds.set(new Set([...hiddenIds.get(), ...ids]));
}

function show(ids: readonly string[]): void {
  const shown = new Set(ids);
  hiddenIds.set(new Set([...hiddenIds.get()].filter((id) => !shown.has(id))));
}
