/** Which messages were read with this browser: kept in it, and known to nobody else. */
import { createStore, useStore } from "../shared/store.ts";

/** What is read of one server: everything up to an instant, and some later messages by their ids. */
interface ReadState {
  readonly before: string;
  readonly ids: readonly string[];
}

/** A message, as far as marks need it. */
export interface MarkedMessage {
  readonly id: string;
  readonly received: string;
}

/** Beyond so many ids the oldest marks are forgotten, and their messages show as unread again. */
const idCountMax = 5000;
const none: ReadState = { before: "", ids: [] };
const marks = createStore<Readonly<Record<string, ReadState>>>({});

/** Tells of each message of a server whether it was read. */
export function useIsRead(server: string): (message: MarkedMessage) => boolean {
  const { before, ids } = useStore(marks)[server] ?? load(server);
  const read = new Set(ids);
  return ({ id, received }) => received <= before || read.has(id);
}

/** Remembers that a message was read, or (`false`) forgets it. */
export function markRead(server: string, { id, received }: MarkedMessage, isRead: boolean): void {
  const { before, ids } = marks.get()[server] ?? load(server);
  if (isRead ? ids.includes(id) || received <= before : !ids.includes(id)) return;
  const others = ids.filter((one) => one !== id);
  save(server, { before, ids: isRead ? [...others, id].slice(-idCountMax) : others });
}

/** Remembers that everything up to now was read. */
export function markAllRead(server: string, newest: string): void {
  save(server, { before: newest, ids: [] });
}

function load(server: string): ReadState {
  try {
    const kept = JSON.parse(localStorage.getItem(nameOf(server)) ?? "null") as Partial<ReadState> | null;
    return typeof kept?.before === "string" && Array.isArray(kept.ids) ? { before: kept.before, ids: kept.ids } : none;
  } catch {
    return none;
  }
}

/** A browser that keeps nothing (private windows, full storage) still marks until the page is left. */
function save(server: string, read: ReadState): void {
  marks.set({ ...marks.get(), [server]: read });
  try {
    localStorage.setItem(nameOf(server), JSON.stringify(read));
  } catch {
    // The marks of this page hold.
  }
}

function nameOf(server: string): string {
  return `restante.read.${server}`;
}
