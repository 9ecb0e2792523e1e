import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { IndexerCalls, WriterCalls } from "../threads/calls.ts";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { Problem } from "../../../core/errors.ts";
import { Indexing } from "./indexing.ts";
import type { Thread } from "../threads/thread.ts";

const settings = { serverMessageCountMin: 10, newMessageCountMin: 5, segmentMessageCountMax: 8 };

/** An indexer that is asked for steps and a writer that is asked for writes, both by script. */
function aStage(script: {
  steps: (number: number) => Promise<unknown>;
  isWanted?: boolean;
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
  const isWanted = () => script.isWanted ?? true;
  let now = 0;
  const elapse = (durationMs: number) => {
    now += durationMs;
    script.onElapsed?.(durationMs);
  };
  const rest = async (durationMs: number) => {
    log.push(`rest ${durationMs}`);
    elapse(durationMs);
    await Promise.resolve();
  };
  const clock = { now: () => now, monotonicMs: () => now };
  const tasks = createBackgroundTasks(clock, ({ kind, error, retryInMs }) => {
    log.push(kind === "recovered" ? kind : `${kind} ${error instanceof Error ? error.message : ""} ${retryInMs ?? 0}`);
  });
  const parts = { settings, startIndexer, writer, isWanted, rest, tasks, countUnindexed: () => 40, now: () => now };
  return { log, tasks, elapse, indexing: new Indexing(parts) };
}

const pause = { isDone: false, write: null, tookMs: 0 };
const write = { isDone: false, write: { kind: "drop", segment: 1 }, tookMs: 0 };
const done = { isDone: true, write: null, tookMs: 0 };

test("steps go on until all is done, writes are done by the writer and their answers handed back", async () => {
  const { log, indexing } = aStage({
    steps: async (number) => await Promise.resolve([pause, write, done][number - 1]),
  });
  indexing.count(5);
  await vi.waitFor(() => {
    expect(log).toEqual(["start", "step 0", "step 0", "writeSegment", "step 7", "close"]);
  });
  await indexing.close();
});

test("nothing starts before so many messages came or went, nor as long as no server is large enough", async () => {
  const { log, indexing } = aStage({ steps: async () => await Promise.resolve(done) });
  indexing.notice(2);
  indexing.count(2);
  expect(log).toEqual([]);
  indexing.count(1);
  await vi.waitFor(() => {
    expect(log).toEqual(["start", "step 0", "close"]);
  });
  await indexing.close();
  const unwanted = aStage({ steps: async () => await Promise.resolve(done), isWanted: false });
  unwanted.indexing.count(Infinity);
  await unwanted.indexing.close();
  expect(unwanted.log).toEqual([]);
});

test("what came during the work is seen to right after it", async () => {
  const { log, indexing } = aStage({
    steps: async () => {
      if (log.length === 2) indexing.count(5);
      return await Promise.resolve(done);
    },
  });
  indexing.count(5);
  await vi.waitFor(() => {
    expect(log).toEqual(["start", "step 0", "close", "start", "step 0", "close"]);
  });
  await indexing.close();
});

test("a flood is let through before anything starts", async () => {
  const { log, indexing } = aStage({ steps: async () => await Promise.resolve(done) });
  indexing.notice(20);
  await vi.waitFor(() => {
    expect(log).toEqual(["rest 100", "rest 100", "rest 100", "start", "step 0", "close"]);
  });
  await indexing.close();
});

test("a few messages at a time are no flood", async () => {
  const { log, indexing } = aStage({
    steps: async (number) => await Promise.resolve(number === 1 ? { ...pause, tookMs: 30 } : done),
  });
  indexing.notice(19);
  await vi.waitFor(() => {
    expect(log).toEqual(["start", "step 0", "step 0", "close"]);
  });
  await indexing.close();
});

test("a flood that comes during the work finds it resting longer than it works", async () => {
  const { log, indexing } = aStage({
    steps: async (number) => {
      if (number === 1) indexing.notice(20);
      return await Promise.resolve(number === 1 ? { ...pause, tookMs: 10 } : done);
    },
  });
  indexing.notice(5);
  await vi.waitFor(() => {
    expect(log.slice(0, 5)).toEqual(["start", "step 0", "rest 160", "step 0", "close"]);
  });
  await indexing.close();
});

test("starts during a flood and does not pause while more than 10,000 messages are unindexed", async () => {
  const outline = { size: 1 };
  const complete = { isDone: false, write: { kind: "complete", replaced: [], outline, pages: [] }, tookMs: 5 };
  const { log, indexing } = aStage({
    steps: async (number) => await Promise.resolve([{ ...pause, tookMs: 30 }, complete, done][number - 1]),
  });
  indexing.notice(10_001);
  await vi.waitFor(() => {
    expect(log).toEqual(["start", "step 0", "step 0", "writeSegment", "rest 80", "step 7", "close"]);
  });
  await indexing.close();
});

test("indexes at least half of the incoming messages during a flood that it can barely keep up with", async () => {
  const segmentMessageCount = 2048;
  const stepMs = 25;
  /** The indexer alone is as fast as four fifths of the flood. */
  const incomingPerStep = Math.round((segmentMessageCount / 40) * 1.25);
  const stage = aStage({
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
      stage.indexing.notice((durationMs / stepMs) * incomingPerStep);
    },
  });
  let isFlooded = true;
  let stored = 0;
  stage.indexing.notice(10_001);
  await vi.waitFor(() => {
    expect(stage.log).toContain("close");
  });
  expect(stored).toBeGreaterThan(100_000);
  expect((60 * segmentMessageCount) / stored).toBeGreaterThan(0.5);
  await stage.indexing.close();
});

test("closing stops it after the step under way, and nothing starts any more", async () => {
  const { log, indexing } = aStage({ steps: async () => await setImmediate(pause) });
  indexing.count(5);
  await vi.waitFor(() => {
    expect(log.length).toBeGreaterThan(3);
  });
  await indexing.close();
  expect(log.at(-1)).toBe("close");
  const { length } = log;
  indexing.count(Infinity);
  await indexing.close();
  expect(log).toHaveLength(length);
});

test("reports why the indexer failed, and starts it again after ever longer pauses", async () => {
  const lost = new Problem("unavailable", { cause: new Error("ERR_WORKER_OUT_OF_MEMORY") });
  const { log, tasks, indexing } = aStage({
    steps: async (number) => (number <= 2 ? await Promise.reject(lost) : await Promise.resolve(done)),
  });
  indexing.start();
  expect(tasks.states()).toMatchObject([{ task: "text_index", state: "idle", backlog: 40 }]);
  await vi.waitFor(() => {
    expect(log.join(", ")).toBe(
      [
        "start, step 0, close, failed ERR_WORKER_OUT_OF_MEMORY 1000, rest 1000",
        "start, step 0, close, rest 2000",
        "start, step 0, close, recovered",
      ].join(", "),
    );
  });
  expect(tasks.states()).toMatchObject([{ state: "ok", backlog: 0, failureCount: 2 }]);
  await indexing.close();
  expect(tasks.states()).toEqual([]);
});
