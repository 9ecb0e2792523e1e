import { useEffect } from "react";
import { marksOf } from "../api/mark-state.ts";
import { useChangeMarks } from "../api/marks.ts";
import { usePermissions } from "../api/permissions.ts";

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
