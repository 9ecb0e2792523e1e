import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { afterAll, expect, test } from "vitest";
import { unobservedTasks } from "../core/background-tasks.ts";
import { systemClock } from "../core/clock.ts";
import { WorkerRpc } from "./worker-rpc.ts";

const rpc = new WorkerRpc<unknown, unknown>({
  task: "echo",
  file: new URL("echo-worker.test-aid.ts", import.meta.url),
  memory: { heapMegabytesMax: 64, buffersMegabytesMax: 64 },
  callMsMax: 60_000,
  startMsMax: 60_000,
  waitingPerKeyCountMax: 10,
  waitingCountMax: 10,
  workerData: null,
  clock: systemClock,
  tasks: unobservedTasks,
});
afterAll(() => rpc.close());

test("returns large arrays at any place of a message as they are, beside small ones and other values", async () => {
  const large = randomBytes(3 * 1024 * 1024);
  const request = {
    large,
    part: large.subarray(1024 * 1024 + 1),
    small: randomBytes(10),
    list: [new Uint8Array(1024 * 1024).fill(7), { text: "é€𝄞", at: new Date(0), none: null, some: undefined }],
    map: new Map([["mail", large.subarray(5)]]),
  };
  // Assertions that show differences between large arrays take minutes.
  expect(isDeepStrictEqual(await rpc.call(request, { key: "a" }), request)).toBe(true);
});

test("keeps the arrays of calls in succession apart", async () => {
  const sizes = [64 * 1024, 64 * 1024 - 1, 0, 2 * 1024 * 1024 + 1, 5, 1024 * 1024];
  const requests = sizes.map((size) => ({ size, bytes: randomBytes(size) }));
  const answers = await Promise.all(requests.map(async (request) => rpc.call(request, { key: "a" })));
  expect(isDeepStrictEqual(answers, requests)).toBe(true);
});

test("rejects what cannot be cloned, and serves the next call", async () => {
  await expect(rpc.call({ bytes: Buffer.alloc(1024 * 1024), code: () => 1 }, { key: "a" })).rejects.toThrow("clone");
  expect(await rpc.call("next", { key: "a" })).toBe("next");
});
