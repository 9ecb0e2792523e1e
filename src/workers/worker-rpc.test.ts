import { describe, expect, test } from "vitest";
import { createBackgroundTasks, unobservedTasks, type BackgroundTaskRegistry } from "../core/background-tasks.ts";
import { Problem } from "../core/errors.ts";
import { isWorkerDeath } from "../core/worker.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { WorkerRpc, type WorkerKind, type WorkerRequests, type WorkerRpcOptions } from "./worker-rpc.ts";
import type { WorkerCall, WorkerMessage } from "./answer-calls.ts";
import { WorkerCallFailed } from "./worker-slot.ts";
import type { OpenWorker, WorkerEvents } from "./worker-process.ts";

/** Worker controlled by the test. */
class FakeWorker {
  readonly calls: WorkerCall<string>[] = [];
  isEnded = false;
  readonly #events: WorkerEvents;

  constructor(events: WorkerEvents) {
    this.#events = events;
  }

  say(message: WorkerMessage<string>): void {
    this.#events.message(message);
  }

  ready(): void {
    this.say({ kind: "ready" });
  }

  /** Responds to the last call. */
  answer({ isSpent = false } = {}): void {
    const { number = 0, request = "" } = this.calls.at(-1) ?? {};
    this.say({ kind: "answered", number, isSpent, answer: `${request}!` });
  }

  die(error: unknown): void {
    this.isEnded = true;
    this.#events.exited(error);
  }
}

interface Bench {
  readonly rpc: WorkerRpc<string, string>;
  readonly clock: FakeClock;
  readonly workers: FakeWorker[];
  readonly tasks: BackgroundTaskRegistry;
}

function setUp(changes: Partial<WorkerKind & WorkerRpcOptions & WorkerRequests<string>> = {}): Bench {
  const clock = new FakeClock();
  const workers: FakeWorker[] = [];
  const tasks = createBackgroundTasks(clock, () => undefined);
  const openWorker: OpenWorker = (_options, events) => {
    const worker = new FakeWorker(events);
    workers.push(worker);
    return {
      post: (message) => void worker.calls.push(message as WorkerCall<string>),
      setBusy: () => undefined,
      terminate: async () => {
        if (!worker.isEnded) worker.die(new Error("terminated"));
      },
    };
  };
  const rpc = new WorkerRpc<string, string>({
    task: "worker",
    degrades: "nothing works",
    file: new URL("file:///none"),
    workerData: null,
    memory: { heapMegabytesMax: 1, buffersMegabytesMax: 1 },
    callMsMax: 10_000,
    waitingPerKeyCountMax: 10,
    waitingCountMax: 20,
    tasks,
    clock,
    openWorker,
    ...changes,
  });
  return { rpc, clock, workers, tasks };
}

/** Waits until all settled promises are handled. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};
const outcomeOf = (asked: Promise<string>): Promise<unknown> => asked.catch((error: unknown) => error);
const one = { key: "one" };
const other = { key: "other" };

describe("a worker RPC", () => {
  test("dispatches one call at a time, keys round-robin", async () => {
    const { rpc, workers } = setUp();
    const asked = [rpc.call("a1", one), rpc.call("a2", one), rpc.call("a3", one), rpc.call("b1", other)];
    await settle();
    workers[0]?.ready();
    for (let count = 1; count <= 4; count += 1) {
      await settle();
      expect(workers[0]?.calls).toHaveLength(count);
      workers[0]?.answer();
    }
    expect(await Promise.all(asked)).toEqual(["a1!", "a2!", "a3!", "b1!"]);
    expect(workers[0]?.calls.map(({ request }) => request)).toEqual(["a1", "b1", "a2", "a3"]);
    expect(workers).toHaveLength(1);
  });

  test("replaces a worker that has too much memory after a call, unless another call waits", async () => {
    const { rpc, workers } = setUp();
    const [first, second] = [rpc.call("large", one), rpc.call("waiting", other)];
    await settle();
    workers[0]?.ready();
    await settle();
    workers[0]?.answer({ isSpent: true });
    expect(await first).toBe("large!");
    await settle();
    expect([workers[0]?.calls.length, workers[0]?.isEnded]).toEqual([2, false]);
    workers[0]?.answer({ isSpent: true });
    expect(await second).toBe("waiting!");
    expect(workers[0]?.isEnded).toBe(true);
    const third = rpc.call("small", one);
    await settle();
    workers[1]?.ready();
    await settle();
    workers[1]?.answer();
    expect(await third).toBe("small!");
  });

  test("executes a large call when the room of all kinds has space for it, and gives the space back", async () => {
    const turn = Promise.withResolvers<() => void>();
    const asked: unknown[] = [];
    let left = 0;
    const room = {
      admit: (sizeBytes: number, key: string): Promise<() => void> => {
        asked.push([sizeBytes, key]);
        return turn.promise;
      },
    };
    const { rpc, workers } = setUp({ room, sizeOf: () => 50 });
    const call = rpc.call("large", one);
    await settle();
    expect([asked, workers]).toEqual([[[50, "one"]], []]);
    turn.resolve(() => (left += 1));
    await settle();
    workers[0]?.ready();
    await settle();
    expect(left).toBe(0);
    workers[0]?.answer();
    await call;
    expect(left).toBe(1);
  });

  test("starts the time limit of a call when its execution starts", async () => {
    const { rpc, clock, workers } = setUp();
    const [first, second] = [outcomeOf(rpc.call("slow", one)), outcomeOf(rpc.call("next", other))];
    await settle();
    clock.advance(20_000);
    workers[0]?.ready();
    await settle();
    clock.advance(9999);
    workers[0]?.answer();
    await settle();
    clock.advance(9999);
    workers[0]?.answer();
    expect(await Promise.all([first, second])).toEqual(["slow!", "next!"]);
  });

  test("rejects only the call that takes too long and executes the others on a new worker", async () => {
    const { rpc, clock, workers, tasks } = setUp();
    const [guilty, innocent] = [outcomeOf(rpc.call("guilty", one)), outcomeOf(rpc.call("innocent", other))];
    await settle();
    workers[0]?.ready();
    await settle();
    clock.advance(10_000);
    expect(await guilty).toBeInstanceOf(WorkerCallFailed);
    expect(isWorkerDeath(await guilty)).toBe(false);
    expect(workers[0]?.isEnded).toBe(true);
    expect(tasks.states()).toMatchObject([{ state: "failing", failureCount: 1, degrades: "nothing works" }]);
    await settle();
    workers[1]?.ready();
    await settle();
    workers[1]?.answer();
    expect(await innocent).toBe("innocent!");
    expect(tasks.states()).toMatchObject([{ state: "ok", degrades: null }]);
  });

  test("rejects only the call that ends its worker, with the reason", async () => {
    const { rpc, workers, tasks } = setUp();
    const [guilty, innocent] = [outcomeOf(rpc.call("guilty", one)), outcomeOf(rpc.call("innocent", other))];
    await settle();
    workers[0]?.ready();
    await settle();
    workers[0]?.die(Object.assign(new Error("heap"), { code: "ERR_WORKER_OUT_OF_MEMORY" }));
    expect(await guilty).toBeInstanceOf(WorkerCallFailed);
    expect(isWorkerDeath(new Problem("unavailable", { cause: await guilty }))).toBe(true);
    expect(tasks.states()[0]?.lastFailure?.reason).toBe("ERR_WORKER_OUT_OF_MEMORY: heap");
    await settle();
    workers[1]?.ready();
    await settle();
    workers[1]?.answer();
    expect(await innocent).toBe("innocent!");
  });

  test("restarts at once after the first exit, then after 1 s, 2 s, up to 30 s, until a call succeeds", async () => {
    const { rpc, clock, workers } = setUp();
    for (const pauseMs of [0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      const asked = outcomeOf(rpc.call("guilty", one));
      await settle();
      const count = workers.length;
      if (pauseMs > 0) {
        clock.advance(pauseMs - 1);
        await settle();
        expect([pauseMs, workers.length]).toEqual([pauseMs, count]);
        clock.advance(1);
        await settle();
        expect([pauseMs, workers.length]).toEqual([pauseMs, count + 1]);
      }
      workers.at(-1)?.ready();
      await settle();
      workers.at(-1)?.die(new Error("gone"));
      expect(await asked).toBeInstanceOf(WorkerCallFailed);
    }
    const last = rpc.call("fine", one);
    clock.advance(30_000);
    await settle();
    workers.at(-1)?.ready();
    await settle();
    workers.at(-1)?.answer();
    expect(await last).toBe("fine!");
  });

  test("makes no other key wait for the pause of one whose calls end workers", async () => {
    const { rpc, clock, workers } = setUp();
    const guilty = async (): Promise<unknown> => {
      const asked = outcomeOf(rpc.call("guilty", one));
      await settle();
      if (workers.at(-1)?.isEnded !== false) throw new Error("no worker was started");
      workers.at(-1)?.ready();
      await settle();
      workers.at(-1)?.die(new Error("out of memory"));
      return asked;
    };
    for (let count = 0; count < 2; count += 1) expect(await guilty()).toBeInstanceOf(WorkerCallFailed);
    const held = rpc.call("held", one);
    const innocent = rpc.call("innocent", other);
    await settle();
    workers[2]?.ready();
    await settle();
    workers[2]?.answer();
    expect(await innocent).toBe("innocent!");
    clock.advance(1000);
    await settle();
    workers[2]?.answer();
    expect(await held).toBe("held!");
    expect(workers).toHaveLength(3);
  });

  test("starts a second worker only for another key, which never waits for the calls of one key", async () => {
    const { rpc, workers } = setUp({ workerCount: 2, runningPerKeyCountMax: 1 });
    const flood = Array.from({ length: 10 }, async () => rpc.call("flood", one));
    await settle();
    expect(workers).toHaveLength(1);
    workers[0]?.ready();
    const innocent = rpc.call("innocent", other);
    await settle();
    workers[1]?.ready();
    await settle();
    workers[1]?.answer();
    expect(await innocent).toBe("innocent!");
    expect(workers.map(({ calls }) => calls.length)).toEqual([1, 1]);
    await Promise.all([rpc.close(), ...flood.map(outcomeOf)]);
  });

  test("lets a key wait for one call of each other key, however many they have queued", async () => {
    const { rpc, clock, workers } = setUp();
    const flood = Array.from({ length: 10 }, async () => rpc.call("flood", one));
    await settle();
    workers[0]?.ready();
    await settle();
    const innocent = rpc.call("innocent", other);
    clock.advance(9000);
    workers[0]?.answer();
    await settle();
    workers[0]?.answer();
    expect(await innocent).toBe("innocent!");
    expect(clock.monotonicMs()).toBe(9000);
    await Promise.all([rpc.close(), ...flood.map(outcomeOf)]);
  });

  test("replaces a worker after a minute of execution, before it reaches its limit of CPU time", async () => {
    const { rpc, clock, workers } = setUp();
    for (let count = 0; count < 8; count += 1) {
      const asked = rpc.call("x", one);
      await settle();
      if (workers.at(-1)?.calls.length === 0) workers.at(-1)?.ready();
      await settle();
      clock.advance(9000);
      workers.at(-1)?.answer();
      await asked;
    }
    expect(workers.map(({ calls, isEnded }) => [calls.length, isEnded])).toEqual([
      [7, true],
      [1, false],
    ]);
  });

  test("rejects calls as unavailable while workers do not start, and tries again after the pause", async () => {
    const { rpc, clock, workers } = setUp();
    const first = outcomeOf(rpc.call("first", one));
    await settle();
    workers[0]?.die(new Error("no such file"));
    expect(await first).toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
    expect(await outcomeOf(rpc.call("second", one))).toBeInstanceOf(Problem);
    expect(workers).toHaveLength(1);
    clock.advance(1000);
    const third = rpc.call("third", one);
    await settle();
    workers[1]?.ready();
    await settle();
    workers[1]?.answer();
    expect(await third).toBe("third!");
  });

  test("terminates a worker that does not start within 25 s", async () => {
    const { rpc, clock, workers } = setUp();
    const asked = outcomeOf(rpc.call("first", one));
    await settle();
    clock.advance(25_000);
    expect(await asked).toMatchObject({ code: "unavailable" });
    expect(workers[0]?.isEnded).toBe(true);
  });

  test("ends an idle worker after a minute and starts another for the next call", async () => {
    const { rpc, clock, workers, tasks } = setUp();
    const asked = rpc.call("first", one);
    await settle();
    workers[0]?.ready();
    await settle();
    workers[0]?.answer();
    await asked;
    await settle();
    clock.advance(60_000);
    expect(workers[0]?.isEnded).toBe(true);
    const next = rpc.call("second", one);
    await settle();
    workers[1]?.ready();
    await settle();
    workers[1]?.answer();
    expect(await next).toBe("second!");
    expect(tasks.states()[0]?.failureCount).toBe(0);
  });

  test("rejects a key with too many waiting calls, and reports backlog and age", async () => {
    const { rpc, clock, tasks } = setUp();
    const asked = Array.from({ length: 11 }, () => outcomeOf(rpc.call("x", one)));
    clock.advance(500);
    await settle();
    expect(await outcomeOf(rpc.call("x", one))).toMatchObject({ code: "too_many_requests", retryAfterSeconds: 1 });
    expect(tasks.states()).toMatchObject([{ backlog: 10, oldestWaitingMs: 500 }]);
    await rpc.close();
    const codes = (await Promise.all(asked)).map((error) => (error instanceof Problem ? error.code : error));
    expect(new Set(codes)).toEqual(new Set(["unavailable"]));
    expect(tasks.states()).toEqual([]);
  });

  test("removes a waiting call from the queue when its caller disconnects", async () => {
    const { rpc, workers } = setUp();
    const first = rpc.call("first", one);
    const abort = new AbortController();
    const second = outcomeOf(rpc.call("second", { key: "one", signal: abort.signal }));
    await settle();
    abort.abort(new Error("left"));
    expect(await second).toEqual(new Error("left"));
    workers[0]?.ready();
    await settle();
    workers[0]?.answer();
    await first;
    await settle();
    expect(workers[0]?.calls).toHaveLength(1);
  });

  test("reports an exception of the worker's code without ending the worker", async () => {
    const { rpc, workers } = setUp({ tasks: unobservedTasks });
    const asked = outcomeOf(rpc.call("x", one));
    await settle();
    workers[0]?.ready();
    await settle();
    workers[0]?.say({ kind: "threw", number: 1, isSpent: false, reason: "a fault" });
    expect(await asked).toEqual(new WorkerCallFailed("a fault"));
    expect(workers[0]?.isEnded).toBe(false);
  });
});
