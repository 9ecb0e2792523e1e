import { describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { createBackgroundTasks, type BackgroundTaskEvent } from "./background-tasks.ts";

function open() {
  const clock = new FakeClock();
  const events: BackgroundTaskEvent[] = [];
  const counted: string[] = [];
  const tasks = createBackgroundTasks(
    clock,
    (event) => events.push(event),
    (task) => counted.push(task),
  );
  return { clock, events, counted, tasks };
}

describe("a background task registry", () => {
  test("reports the first failure, then one summary a minute, then the recovery", () => {
    const { clock, events, counted, tasks } = open();
    const task = tasks.register("purge");
    for (let second = 0; second < 150; second += 1) {
      task.failed(new Error("disk I/O error"), 1000);
      clock.advance(1000);
    }
    task.succeeded();
    task.succeeded();
    expect(events.map(({ kind, failureCount }) => [kind, failureCount])).toEqual([
      ["failed", 1],
      ["still_failing", 61],
      ["still_failing", 121],
      ["recovered", 150],
    ]);
    expect(counted).toHaveLength(150);
  });

  test("keeps the interval of its summaries when the wall clock is set back", () => {
    const { clock, events, tasks } = open();
    const task = tasks.register("purge");
    task.failed(new Error("once"));
    clock.stepWall(-7_200_000);
    clock.advance(60_000);
    task.failed(new Error("twice"));
    expect(events.map(({ kind }) => kind)).toEqual(["failed", "still_failing"]);
  });

  test("shows state, reason and backlog of each task by name", () => {
    const { clock, tasks } = open();
    tasks.register("upkeep").succeeded();
    const index = tasks.register("text_index", { backlog: () => 7, oldestWaitingMs: () => 20, degrades: "slow" });
    tasks.register("certificates");
    index.failed(Object.assign(new Error("out of memory"), { code: "ERR_WORKER_OUT_OF_MEMORY" }), 30_000);
    expect(tasks.states()).toEqual([
      expect.objectContaining({ task: "certificates", state: "idle", backlog: null }),
      {
        task: "text_index",
        state: "failing",
        lastSuccessAt: null,
        lastFailure: { at: clock.now(), reason: "ERR_WORKER_OUT_OF_MEMORY: out of memory", retryInMs: 30_000 },
        failureCount: 1,
        backlog: 7,
        oldestWaitingMs: 20,
        degrades: "slow",
      },
      expect.objectContaining({ task: "upkeep", state: "ok", lastSuccessAt: clock.now(), degrades: null }),
    ]);
  });

  test("removes a task that ended, but not its successor of the same name", () => {
    const { tasks } = open();
    const first = tasks.register("outbox");
    const second = tasks.register("outbox");
    first.end();
    expect(tasks.states()).toHaveLength(1);
    second.end();
    expect(tasks.states()).toEqual([]);
  });
});
