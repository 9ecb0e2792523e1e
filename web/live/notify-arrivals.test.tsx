import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { simulateService } from "../testing/render-ui.tsx";
import { summary } from "../testing/samples.ts";
import { watchArrivals, type ArrivalWatcher } from "./notify-arrivals.ts";

const shown: { readonly title: string; readonly body: string | undefined; readonly click: () => void }[] = [];
let isInFront = false;
let watcher: ArrivalWatcher | null = null;

beforeEach(() => {
  vi.useFakeTimers();
  shown.length = 0;
  vi.spyOn(document, "hasFocus").mockImplementation(() => isInFront);
  vi.stubGlobal(
    "Notification",
    class extends EventTarget {
      constructor(title: string, options: NotificationOptions) {
        super();
        shown.push({ title, body: options.body, click: () => this.dispatchEvent(new Event("click")) });
      }
      close(): void {}
    },
  );
});
afterEach(() => {
  watcher?.close();
  vi.useRealTimers();
});

const arrivals = (count: number, cursor: number): Response =>
  new Response(JSON.stringify(Array.from({ length: count }, (_, at) => summary(count - at))), {
    headers: { "x-cursor": String(cursor) },
  });

/** Starts with a page in the background, then reports a change after which `count` messages have arrived. */
async function arrive(count: number): Promise<readonly string[]> {
  const requests = simulateService({
    "GET /api/messages?server=shop1234&itemsPerPage=1": arrivals(1, 7),
    "GET /api/messages?server=shop1234&itemsPerPage=100&after=7": arrivals(count, 8),
    "GET /api/messages?server=shop1234&itemsPerPage=100&after=8": arrivals(0, 9),
  });
  watcher = watchArrivals("shop1234");
  await vi.advanceTimersByTimeAsync(0);
  for (let change = 0; change < 3; change += 1) watcher.onChange();
  await vi.advanceTimersByTimeAsync(1000);
  return requests;
}

test("shows one notification for messages that arrive together, and opens the list", async () => {
  isInFront = false;
  await arrive(3);
  expect(shown.map(({ title, body }) => [title, body])).toEqual([["3 new messages", "Subject 3"]]);
  shown[0]?.click();
  expect(location.pathname).toBe("/servers/shop1234");
  watcher?.onChange();
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown).toHaveLength(1);
});

test("shows subject and sender of a single message, and opens it", async () => {
  isInFront = false;
  await arrive(1);
  expect(shown.map(({ title, body }) => [title, body])).toEqual([["Subject 1", "From app@example.com"]]);
  shown[0]?.click();
  expect(location.pathname).toBe("/servers/shop1234/messages/m1");
});

test("shows nothing while the page is in front, and sends no request", async () => {
  isInFront = true;
  const requests = await arrive(2);
  expect([shown, requests]).toEqual([[], ["GET /api/messages?server=shop1234&itemsPerPage=1"]]);
});
