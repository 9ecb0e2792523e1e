/** Deletion with undo: messages leave the list at once, and the service when the time to undo is over. */
import type { QueryClient } from "@tanstack/react-query";
import { createStore, type StoreApi } from "zustand/vanilla";
import { deleteMessage } from "../api/messages.ts";
import { queryKeys } from "../api/query-keys.ts";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";

/** Ids of messages that the list hides because they are deleted or about to be. */
export const hiddenIds: StoreApi<ReadonlySet<string>> = createStore<ReadonlySet<string>>(() => new Set<string>());

const undoMs = 5000;
const parallelMax = 4;
const pending = new Set<string>();

addEventListener("pagehide", () => {
  // The page closes before it could show an error; a message that was not deleted is listed again next time.
  for (const id of pending) void deleteMessage(id, { keepalive: true }).catch(() => undefined);
  pending.clear();
});

/** Hides messages and deletes them after five seconds unless the user undoes it; leaving the page deletes them at once. */
export function deleteWithUndo(cache: QueryClient, server: string, ids: readonly string[]): void {
  hide(ids);
  for (const id of ids) pending.add(id);
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
  const remaining = [...ids];
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let id = remaining.pop(); id !== undefined; id = remaining.pop()) {
      if (!pending.delete(id)) continue;
      // Reported below for all messages, whose reasons are the same.
      await deleteMessage(id).catch(() => failed.push(id ?? ""));
    }
  };
  await Promise.all(Array.from({ length: parallelMax }, work));
  await cache.invalidateQueries({ queryKey: queryKeys.serverMessages(server) });
  if (failed.length === 0) return;
  unhide(failed);
  showToast({ text: strings.list.notDeleted(failed.length) });
}

function hide(ids: readonly string[]): void {
  hiddenIds.setState(new Set([...hiddenIds.getState(), ...ids]), true);
}

function unhide(ids: readonly string[]): void {
  const shown = new Set(ids);
  hiddenIds.setState(new Set([...hiddenIds.getState()].filter((id) => !shown.has(id))), true);
}
