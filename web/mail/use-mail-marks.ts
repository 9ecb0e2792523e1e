import { useMarks, type MarksOf } from "../api/mark-state.ts";
import { useFollowedMarks, useMarkAllRead } from "../api/marks.ts";
import { showMarkError, useMarkActions, type MarkActions } from "../marks/use-mark-actions.ts";
import type { MailState } from "./use-mail-actions.ts";

/** Marks of the messages of a list, and the actions on them. */
export interface MailMarks extends MarkActions {
  readonly marksOf: MarksOf;
  /** Marks all messages of the list as read. */
  readonly readAll: () => void;
}

/** Follows the marks of the messages of a server, and returns them with their actions. */
export function useMailMarks(server: string, { query, list }: Pick<MailState, "query" | "list">): MailMarks {
  useFollowedMarks(server);
  const marksOf = useMarks();
  const actions = useMarkActions(server);
  const markAllRead = useMarkAllRead(server);
  const readAll = (): void => {
    markAllRead(query, [...list.excerpts.keys()]).catch(showMarkError);
  };
  return { ...actions, marksOf, readAll };
}
