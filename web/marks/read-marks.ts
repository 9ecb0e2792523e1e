/** Which messages have been read, remembered by this browser only. */
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";

/** Read messages of one server: all received up to an instant, and later ones by id. */
interface ReadMarks {
  /** ISO 8601; "" for none. */
  readonly before: string;
  readonly ids: readonly string[];
}

/** The part of a message that marks are about. */
export interface MarkedMessage {
  readonly id: string;
  /** ISO 8601. */
  readonly received: string;
}

/** Most ids that are kept for one server; beyond it the oldest are dropped, and their messages show as unread again. */
const idCountMax = 5000;
const none: ReadMarks = { before: "", ids: [] };
const marksByServer = createStore<Readonly<Record<string, ReadMarks>>>(() => ({}));

/** Returns a function that tells whether a message of the server has been read. */
export function useIsRead(server: string): (message: MarkedMessage) => boolean {
  const { before, ids } = useStore(marksByServer, (marks) => marks[server]) ?? load(server);
  const read = new Set(ids);
  return ({ id, received }) => received <= before || read.has(id);
}

/** Marks a message as read or, with `false`, as unread. */
export function markRead(server: string, { id, received }: MarkedMessage, isRead: boolean): void {
  const { before, ids } = marksByServer.getState()[server] ?? load(server);
  if (isRead ? ids.includes(id) || received <= before : !ids.includes(id)) return;
  const others = ids.filter((one) => one !== id);
  save(server, { before, ids: isRead ? [...others, id].slice(-idCountMax) : others });
}

/** Marks all messages as read that were received up to `newest`, ISO 8601. */
export function markAllRead(server: string, newest: string): void {
  save(server, { before: newest, ids: [] });
}

function load(server: string): ReadMarks {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey(server)) ?? "null") as Partial<ReadMarks> | null;
    return typeof stored?.before === "string" && Array.isArray(stored.ids)
      ? { before: stored.before, ids: stored.ids }
      : none;
  } catch {
    // Storage is disabled or its content was damaged: all messages are shown as unread.
    return none;
  }
}

function save(server: string, marks: ReadMarks): void {
  marksByServer.setState({ [server]: marks });
  try {
    localStorage.setItem(storageKey(server), JSON.stringify(marks));
  } catch {
    // Storage is disabled or full: the marks last until the page is left.
  }
}

function storageKey(server: string): string {
  return `restante.read.${server}`;
}
