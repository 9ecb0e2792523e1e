/** Worker that requests a list repeatedly until it receives a message, and returns the durations. */
import { parentPort, workerData } from "node:worker_threads";
import { setTimeout as pause } from "node:timers/promises";

const { url, key } = workerData as { readonly url: string; readonly key: string };
const state = { isOver: false };
parentPort?.once("message", () => {
  state.isOver = true;
});

const durations: number[] = [];
while (!state.isOver) {
  const startedAt = performance.now();
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  durations.push(performance.now() - startedAt);
  await pause(10);
}
parentPort?.postMessage(durations);
