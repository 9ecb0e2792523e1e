import { expect, test } from "vitest";
import { createBackgroundTasks } from "../../core/background-tasks.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { createMetrics } from "../metrics/metrics.ts";

test("has a series for each background task and none for ended tasks", async () => {
  const clock = new FakeClock(1_700_000_000_000);
  const tasks = createBackgroundTasks(clock, () => undefined);
  const metrics = createMetrics("0", () => Promise.reject(new Error("away")));
  metrics.watchTasks(tasks);
  const index = tasks.register("text_index", { backlog: () => 7, oldestWaitingMs: () => 2500 });
  const purge = tasks.register("purge");
  index.succeeded();
  purge.failed(new Error("no room"), 1000);
  purge.failed(new Error("no room"), 1000);
  const lines = (await metrics.text()).split("\n");
  expect(lines.filter((line) => line.startsWith("restante_background"))).toEqual([
    'restante_background_failures_total{task="purge"} 2',
    'restante_background_failures_total{task="text_index"} 0',
    'restante_background_last_success_timestamp_seconds{task="text_index"} 1700000000',
    'restante_background_failing{task="purge"} 1',
    'restante_background_failing{task="text_index"} 0',
    'restante_background_backlog{task="text_index"} 7',
    'restante_background_oldest_waiting_seconds{task="text_index"} 2.5',
  ]);
  purge.end();
  expect(await metrics.text()).not.toContain('task="purge"');
  metrics.close();
});
