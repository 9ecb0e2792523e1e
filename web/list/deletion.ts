/** Deletion with undo: messages leave the list at once, and the service when the time to undo is over. */
import type { QueryClient } from "@tanstack/react-query";
import { createStore, type StoreApi } from "zustand/vanilla";
import { deleteMessages, deleteBeforeUnload } from "../api/messages.ts";
import { queryKeys } from "../api/query-keys.ts";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";

/** Ids of messages that the list hides because they are deleted or about to be. */
export const hiddenIds: StoreApi<ReadonlySet<string>> = createStore<ReadonlySet<string>>(() => new Set<string>());

const undoMs = 5000;
/** Progress is shown until the next request, at most for this time. */
const progressMs = 60_000;
/** Server of each message whose time to undo is not over. */
const pending = new Map<string, string>();

addEventListener("pagehide", () => {
  for (const [server, entries] of Map.groupBy(pending, ([, of]) => of)) {
    deleteBeforeUnload(
      server,
      entries.map(([id]) => id),
    );
  }
  pending.clear();
});

/** Hides messages and deletes them after five seconds unless the user undoes it; leaving the page deletes them at once. */
export function deleteWithUndo(cache: QueryClient, server: string, ids: readonly string[]): void {
  hide(ids);
  for (const id of ids) pending.set(id, server);
  const timer = window.setTimeout(() => {
    hideToast();
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
        unhide(ids);
        hideToast();
      },
    },
  });
}

async function commit(cache: QueryClient, server: string, ids: readonly string[]): Promise<void> {
  const due = ids.filter((id) => pending.delete(id));
  let hideProgress = (): void => undefined;
  const { failed, reason } = await deleteMessages(server, due, (tried) => {
    hideProgress();
    hideProgress = showToast({ text: strings.list.deleting(tried, due.length), durationMs: progressMs });
  });
  hideProgress();
  await cache.invalidateQueries({ queryKey: queryKeys.serverMessages(server) });
  if (failed.length === 0) return;
  unhide(failed);
  showToast({ text: strings.list.notDeleted(failed.length, reason) });
}

function hide(ids: readonly string[]): void {
  hiddenIds.setState(new Set([...hiddenIds.getState(), ...ids]), true);
}

function unhide(ids: readonly string[]): void {
  const shown = new Set(ids);
  hiddenIds.setState(new Set([...hiddenIds.getState()].filter((id) => !shown.has(id))), true);
}
