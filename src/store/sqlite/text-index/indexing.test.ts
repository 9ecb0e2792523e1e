import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { IndexerCalls, WriterCalls } from "../threads/calls.ts";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { Problem } from "../../../core/errors.ts";
import { Indexing } from "./indexing.ts";
import type { Thread } from "../../threads/thread.ts";

const settings = { serverMessageCountMin: 10, newMessageCountMin: 5, segmentMessageCountMax: 8 };

/** Creates an `Indexing` over a scripted indexer and writer that log their calls. */
function setUp(script: {
  steps: (number: number) => Promise<unknown>;
  isNeeded?: boolean;
  /** Called when simulated time has passed. */
  onElapsed?: (durationMs: number) => void;
}) {
  const log: string[] = [];
  let stepCount = 0;
  const startIndexer = () => {
    log.push("start");
    return {
      call: async (_name: string, [reply]: [number]) => {
        log.push(`step ${reply}`);
        stepCount += 1;
        return await script.steps(stepCount);
      },
      close: async () => {
        log.push("close");
        await Promise.resolve();
      },
    } as unknown as Thread<IndexerCalls>;
  };
  const writer = {
    call: async (name: string) => {
      log.push(name);
      return await Promise.resolve(7);
    },
  } as unknown as Thread<WriterCalls>;
  const isNeeded = () => script.isNeeded ?? true;
  let now = 0;
  const elapse = (durationMs: number) => {
    now += durationMs;
    script.onElapsed?.(durationMs);
  };
  const pause = async (durationMs: number) => {
    log.push(`pause ${durationMs}`);
    elapse(durationMs);
    await Promise.resolve();
  };
  const clock = { now: () => now, monotonicMs: () => now };
  const tasks = createBackgroundTasks(clock, ({ kind, error, retryInMs }) => {
    log.push(kind === "recovered" ? kind : `${kind} ${error instanceof Error ? error.message : ""} ${retryInMs ?? 0}`);
  });
  const dependencies = {
    settings,
    startIndexer,
    writer,
    isNeeded,
    pause,
    tasks,
    countUnindexed: () => 40,
    now: () => now,
  };
  return { log, tasks, elapse, indexing: new Indexing(dependencies) };
}

const idleStep = { isDone: false, write: null, tookMs: 0 };
const write = { isDone: false, write: { kind: "drop", segment: 1 }, tookMs: 0 };
const done = { isDone: true, write: null, tookMs: 0 };

test("runs steps until all is done, passes writes to the writer and returns its results", async () => {
  const { log, indexing } = setUp({
    steps: async (number) => await Promise.resolve([idleStep, write, done][number - 1]),
  });
  indexing.messagesChanged(5);
  await vi.waitFor(() => {
    expect(log).toEqual(["start", "step 0", "step 0", "writeSegment", "step 7", "close"]);
  });
  await indexing.close();
});

test("starts only after enough changes, and only when a server is large enough", async () => {
  const { log, indexing } = setUp({ steps: async () => await Promise.resolve(done) });
  indexing.messagesStored(2);
  indexing.messagesChanged(2);
  expect(log).toEqual([]);
  indexing.messagesChanged(1);
  await vi.waitFor(() => {
    expect(log).toEqual(["start", "step 0", "close"]);
  });
  await indexing.close();
  const unneeded = setUp({ steps: async () => await Promise.resolve(done), isNeeded: false });
  unneeded.indexing.messagesChanged(Infinity);
  await unneeded.indexing.close();
  expect(unneeded.log).toEqual([]);
});

test("starts again at once for messages that arrived meanwhile", async () => {
  const { log, indexing } = setUp({
    steps: async () => {
      if (log.length === 2) indexing.messagesChanged(5);
      return await Promise.resolve(done);
    },
  });
  indexing.messagesChanged(5);
  await vi.waitFor(() => {
    expect(log).toEqual(["start", "step 0", "close", "start", "step 0", "close"]);
  });
  await indexing.close();
});

test("waits for the end of a flood before it starts", async () => {
  const { log, indexing } = setUp({ steps: async () => await Promise.resolve(done) });
  indexing.messagesStored(20);
  await vi.waitFor(() => {
    expect(log).toEqual(["pause 100", "pause 100", "start", "step 0", "close"]);
  });
  await indexing.close();
});

test("does not treat a few messages at a time as a flood", async () => {
  const { log, indexing } = setUp({
    steps: async (number) => await Promise.resolve(number === 1 ? { ...idleStep, tookMs: 30 } : done),
  });
  indexing.messagesStored(19);
  await vi.waitFor(() => {
    expect(log).toEqual(["start", "step 0", "step 0", "close"]);
  });
  await indexing.close();
});

test("pauses longer than it works during a flood", async () => {
  const { log, indexing } = setUp({
    steps: async (number) => {
      if (number === 1) indexing.messagesStored(20);
      return await Promise.resolve(number === 1 ? { ...idleStep, tookMs: 10 } : done);
    },
  });
  indexing.messagesStored(5);
  await vi.waitFor(() => {
    expect(log.slice(0, 5)).toEqual(["start", "step 0", "pause 160", "step 0", "close"]);
  });
  await indexing.close();
});

test("starts during a flood and does not pause while more than 10,000 messages are unindexed", async () => {
  const outline = { size: 1 };
  const complete = { isDone: false, write: { kind: "complete", replaced: [], outline, pages: [] }, tookMs: 5 };
  const { log, indexing } = setUp({
    steps: async (number) => await Promise.resolve([{ ...idleStep, tookMs: 30 }, complete, done][number - 1]),
  });
  indexing.messagesStored(10_001);
  await vi.waitFor(() => {
    expect(log).toEqual(["start", "step 0", "step 0", "writeSegment", "pause 80", "step 7", "close"]);
  });
  await indexing.close();
});

test("indexes at least half of the incoming messages when a flood exceeds its capacity", async () => {
  const segmentMessageCount = 2048;
  const stepMs = 25;
  /** The indexer alone is as fast as four fifths of the flood. */
  const incomingPerStep = Math.round((segmentMessageCount / 40) * 1.25);
  const stage = setUp({
    steps: async (number) => {
      isFlooded = number <= 40 * 60;
      if (!isFlooded) return await Promise.resolve(done);
      stage.elapse(stepMs);
      const outline = { size: segmentMessageCount };
      const isComplete = number % 40 === 0;
      const complete = { kind: "complete", replaced: [], outline, pages: [] };
      return await Promise.resolve({ isDone: false, write: isComplete ? complete : null, tookMs: stepMs });
    },
    onElapsed: (durationMs) => {
      if (!isFlooded) return;
      stored += (durationMs / stepMs) * incomingPerStep;
      stage.indexing.messagesStored((durationMs / stepMs) * incomingPerStep);
    },
  });
  let isFlooded = true;
  let stored = 0;
  stage.indexing.messagesStored(10_001);
  await vi.waitFor(() => {
    expect(stage.log).toContain("close");
  });
  expect(stored).toBeGreaterThan(100_000);
  expect((60 * segmentMessageCount) / stored).toBeGreaterThan(0.5);
  await stage.indexing.close();
});

test("stops after the current step when closed, and does not start again", async () => {
  const { log, indexing } = setUp({ steps: async () => await setImmediate(idleStep) });
  indexing.messagesChanged(5);
  await vi.waitFor(() => {
    expect(log.length).toBeGreaterThan(3);
  });
  await indexing.close();
  expect(log.at(-1)).toBe("close");
  const { length } = log;
  indexing.messagesChanged(Infinity);
  await indexing.close();
  expect(log).toHaveLength(length);
});

test("reports why the indexer failed and restarts it after growing pauses", async () => {
  const lost = new Problem("unavailable", { cause: new Error("ERR_WORKER_OUT_OF_MEMORY") });
  const { log, tasks, indexing } = setUp({
    steps: async (number) => (number <= 2 ? await Promise.reject(lost) : await Promise.resolve(done)),
  });
  indexing.start();
  expect(tasks.states()).toMatchObject([{ task: "text_index", state: "idle", backlog: 40 }]);
  await vi.waitFor(() => {
    expect(log.join(", ")).toBe(
      [
        "start, step 0, close, failed ERR_WORKER_OUT_OF_MEMORY 1000, pause 1000",
        "start, step 0, close, pause 2000",
        "start, step 0, close, recovered",
      ].join(", "),
    );
  });
  expect(tasks.states()).toMatchObject([{ state: "ok", backlog: 0, failureCount: 2 }]);
  await indexing.close();
  expect(tasks.states()).toEqual([]);
});
