import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { problem, simulateService } from "../testing/render-ui.tsx";
import { openChangeStream, type LiveState } from "./change-stream.ts";

let changes = 0;
const states: LiveState[] = [];
const listener = {
  onChange: () => {
    changes += 1;
  },
  onState: (state: LiveState) => {
    if (states.at(-1) !== state) states.push(state);
  },
};

beforeEach(() => {
  vi.useFakeTimers();
  changes = 0;
  states.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

const page = (cursor: number): Response => new Response("[]", { headers: { "x-cursor": String(cursor) } });
const stream = (text: string): Response => new Response(text);

test("polls when the stream is rejected, and opens it again later", async () => {
  let isRejected = true;
  let cursor = 1;
  simulateService({
    "GET /api/events": () => (isRejected ? problem(502, "Bad gateway") : stream("event: received\n\n")),
    "GET /api/messages": () => page(cursor),
  });
  const close = openChangeStream("shop1234", listener);
  await vi.advanceTimersByTimeAsync(0);
  expect([states, changes]).toEqual([["polling"], 1]);
  await vi.advanceTimersByTimeAsync(4000);
  expect(changes).toBe(1);
  cursor = 2;
  await vi.advanceTimersByTimeAsync(2000);
  expect(changes).toBe(2);
  isRejected = false;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(states).toContain("live");
  close();
});

test("reports offline while the service is unreachable, and one change after reconnecting", async () => {
  let isUp = false;
  simulateService({
    "GET /api/events": () => {
      if (!isUp) throw new TypeError("Failed to fetch");
      return new Response(new ReadableStream());
    },
  });
  const close = openChangeStream("shop1234", listener);
  await vi.advanceTimersByTimeAsync(3000);
  expect([states, changes]).toEqual([["offline"], 0]);
  isUp = true;
  await vi.advanceTimersByTimeAsync(2000);
  expect([states, changes]).toEqual([["offline", "live"], 1]);
  close();
});

test("is connected to a service that has no such server", async () => {
  simulateService({});
  const close = openChangeStream("unknown1", listener);
  await vi.advanceTimersByTimeAsync(0);
  expect(states).toEqual(["polling"]);
  close();
});

test("sends no request after it is closed", async () => {
  const requests = simulateService({ "GET /api/events": problem(502, "Bad gateway"), "GET /api/messages": page(1) });
  const close = openChangeStream("shop1234", listener);
  await vi.advanceTimersByTimeAsync(0);
  close();
  const count = requests.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(requests).toHaveLength(count);
});
