/** Actions on flags and tags of messages, with a message to the user when one fails. */
import { useEffect, useMemo } from "react";
import { marksOf } from "../api/mark-state.ts";
import { useChangeMarks } from "../api/marks.ts";
import { usePermissions } from "../api/permissions.ts";
import { errorText } from "../shared/format.ts";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { MarkChange } from "../wire.ts";

/** Actions on flags and tags of messages of one server. */
export interface MarkActions {
  /** Whether the key of the session may change marks; without it, no action is offered. */
  readonly canMark: boolean;
  readonly setRead: (ids: readonly string[], isRead: boolean) => void;
  readonly setStarred: (ids: readonly string[], isStarred: boolean) => void;
  readonly changeTags: (ids: readonly string[], change: Pick<MarkChange, "addTags" | "removeTags">) => void;
}

/** Returns the actions on marks of messages of a server; the same object until server or key change. */
export function useMarkActions(server: string): MarkActions {
  const change = useChangeMarks(server);
  const { canManage: canMark } = usePermissions();
  return useMemo(() => {
    const run = (ids: readonly string[], changes: MarkChange): void => {
      if (ids.length > 0) change(ids, changes).catch(showMarkError);
    };
    return {
      canMark,
      setRead: (ids, isRead) => run(ids, isRead ? { addFlags: ["seen"] } : { removeFlags: ["seen"] }),
      setStarred: (ids, isStarred) => run(ids, isStarred ? { addFlags: ["flagged"] } : { removeFlags: ["flagged"] }),
      changeTags: run,
    };
  }, [change, canMark]);
}

/** Shows that flags or tags were not changed, and why. */
export function showMarkError(error: unknown): void {
  showToast({ text: strings.marks.notChanged(errorText(error)) });
}

/** Adds the flag `seen` to a message when it is opened, unless the key of the session may only read; null for none. */
export function useSeen(server: string, id: string | null): void {
  const { canManage: canMark } = usePermissions();
  const change = useChangeMarks(server);
  useEffect(() => {
    if (id === null || !canMark || marksOf(id)?.flags.includes("seen") === true) return;
    // The user did not ask for this, and sees in the list that the message is still unread.
    change([id], { addFlags: ["seen"] }).catch(() => undefined);
  }, [id, canMark, change]);
}
