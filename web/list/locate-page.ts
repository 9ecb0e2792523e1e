/** Position of a message in a list that is ordered by the time received, newest first. */
import type { MessagePage } from "../api/messages.ts";
import { pageSize } from "../navigation/mail-query.ts";

/** Parts of a message that determine its position. */
export interface LocatedMessage {
  readonly id: string;
  /** ISO 8601. */
  readonly received: string;
}

/** Most doublings of the searched range; enough for ten million messages. */
const readsMax = 17;
/** Most pages that are searched for a message among others of the same instant. */
const sameInstantPagesMax = 8;

/** Returns the number of the page with a message; null when no page has it. `read` returns a page, empty past the end. */
export async function locatePage(
  read: (page: number) => Promise<MessagePage>,
  { id, received }: LocatedMessage,
): Promise<number | null> {
  let [low, high] = [0, 0];
  for (let reads = 0; reads < readsMax && endsBefore(await read(high), received); reads += 1) {
    low = high + 1;
    high = high * 2 + 1;
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (endsBefore(await read(middle), received)) low = middle + 1;
    else high = middle;
  }
  for (let page = low; page < low + sameInstantPagesMax; page += 1) {
    const { items } = await read(page);
    if (items.some((item) => item.id === id)) return page;
    if (items.length < pageSize || (items.at(-1)?.received ?? "") < received) return null;
  }
  return null;
}

function endsBefore({ items }: MessagePage, received: string): boolean {
  const last = items.at(-1);
  return last !== undefined && last.received > received;
}
