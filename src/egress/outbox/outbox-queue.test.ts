import { expect, onTestFinished, test } from "vitest";
import { MemoryQueue } from "../../queue/memory-queue.test-aid.ts";
import { startQueueWorker } from "../../queue/queue-worker.ts";
import type { AttemptOutcome, OutboxEntry } from "../../store/outbox-store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { until } from "../../testing/until.test-aid.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { outboxQueue, type AttemptReport } from "./outbox-queue.ts";

/** Outbox in memory. */
class MemoryOutbox extends MemoryQueue<OutboxEntry, AttemptOutcome> {
  constructor() {
    super({
      keyOf: () => "",
      attemptsOf: ({ attempts }) => attempts,
      count: (entry, change) => ({ ...entry, attempts: entry.attempts + change }),
    });
  }

  store(id: string, at: number, attempts = 0): void {
    const mail = { message: null, route: "relay", mailFrom: "", rcptTo: [], content: null } as const;
    this.add({ id, ...mail, at, attempts }, at);
  }

  get dueTimes(): readonly (number | null)[] {
    return [...this.rows.values()].map(({ dueAt }) => dueAt);
  }
}

function start(deliver: (entry: OutboxEntry) => Promise<void>) {
  const clock = new FakeClock();
  const outbox = new MemoryOutbox();
  const reports: AttemptReport[] = [];
  const faults: unknown[] = [];
  const task = { succeeded: () => undefined, failed: (error: unknown) => faults.push(error), end: () => undefined };
  const definition = outboxQueue({
    queue: outbox,
    clock,
    deliver,
    firstPauseMs: 60_000,
    random: () => 0.5,
    onAttempt: (report) => reports.push(report),
  });
  const worker = startQueueWorker({ clock, nodes: null, tasks: { register: () => task } }, definition);
  onTestFinished(async () => {
    const closed = worker.close();
    clock.advance(10_000);
    await closed;
  });
  /** Advances the clock until the condition holds; promises settle between the steps. */
  const runUntil = async (condition: () => boolean, stepMs = 1000): Promise<void> => {
    while (!condition()) {
      clock.advance(stepMs);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { clock, outbox, reports, faults, worker, runUntil };
}

const failure = (replyCode: number): DeliveryFailure =>
  new DeliveryFailure(`${replyCode} said so`, { stage: "data", replyCode, isLocalRefusal: false });
const never = new Promise<void>(() => undefined);

test("delivers due entries once", async () => {
  const seen: string[] = [];
  const { clock, outbox, reports, worker, runUntil } = start(async ({ id }) => void seen.push(id));
  for (let number = 0; number < 23; number += 1) outbox.store(String(number), clock.now());
  worker.wake();
  await runUntil(() => reports.length === 23, 10);
  expect(new Set(seen).size).toBe(23);
  expect(reports.every(({ status, failure: none }) => status === "Sent" && none === null)).toBe(true);
});

test("finds entries added by other processes within five seconds", async () => {
  const { clock, outbox, reports } = start(async () => undefined);
  await until(() => clock.appointmentCount === 1);
  outbox.store("late", clock.now());
  clock.advance(5000);
  await until(() => reports.length === 1);
});

test("delivers at most five entries at a time, and none twice", async () => {
  const seen: string[] = [];
  const { clock, outbox, worker, runUntil } = start(({ id }) => {
    seen.push(id);
    return never;
  });
  for (let number = 0; number < 8; number += 1) outbox.store(String(number), clock.now());
  worker.wake();
  await runUntil(() => seen.length === 5, 10);
  worker.wake();
  const from = clock.monotonicMs();
  await runUntil(() => clock.monotonicMs() - from >= 60_000);
  expect(seen).toEqual(["0", "1", "2", "3", "4"]);
});

test("retries temporary failures after doubling pauses until a success", async () => {
  let tries = 0;
  const { clock, outbox, reports, worker, runUntil } = start(async () => {
    tries += 1;
    if (tries < 3) throw failure(451);
  });
  const begun = clock.now();
  outbox.store("one", begun);
  worker.wake();
  await runUntil(() => reports.length === 1, 5);
  expect(reports[0]?.status).toBe("Queued");
  expect((outbox.dueTimes[0] ?? 0) - begun - 60_000).toBeLessThan(100);
  await runUntil(() => reports.length === 2);
  expect((outbox.dueTimes[0] ?? 0) - clock.now()).toBeGreaterThan(100_000);
  await runUntil(() => reports.length === 3);
  expect(reports.map(({ status }) => status)).toEqual(["Queued", "Queued", "Sent"]);
});

test("fails an entry after a permanent failure or the thirteenth attempt", async () => {
  const { clock, outbox, reports, worker, runUntil } = start(({ id }) =>
    Promise.reject(failure(id === "no" ? 550 : 451)),
  );
  outbox.store("no", clock.now());
  outbox.store("later", clock.now(), 12);
  worker.wake();
  await runUntil(() => reports.length === 2, 10);
  expect(reports.map(({ status }) => status)).toEqual(["Failed", "Failed"]);
  expect(outbox.dueTimes).toEqual([null, null]);
});

test("retries after an unexpected error, and does not disclose its message", async () => {
  const { clock, outbox, reports, worker, runUntil } = start(() => Promise.reject(new TypeError("secret detail")));
  outbox.store("one", clock.now());
  worker.wake();
  await runUntil(() => reports.length === 1, 10);
  expect(reports[0]?.status).toBe("Queued");
  expect(reports[0]?.failure?.message).not.toContain("secret");
});

test.each([1, 4])("retries in time when the wall clock was set back after %d attempts", async (attemptCount) => {
  const { clock, outbox, reports, worker, runUntil } = start(() => Promise.reject(failure(451)));
  outbox.store("one", clock.now(), attemptCount - 1);
  worker.wake();
  await runUntil(() => reports.length === 1, 10);
  clock.stepWall(-5 * 3_600_000);
  const setBackAt = clock.monotonicMs();
  await runUntil(() => reports.length === 2);
  expect(outbox.rows.get("one")?.item.attempts).toBe(attemptCount + 1);
  expect(clock.monotonicMs() - setBackAt).toBeLessThan(2 * 60_000 * 2 ** (attemptCount - 1));
});

test.each([16 * 60_000, 24 * 3_600_000])(
  "does not deliver a running entry again when the wall clock is stepped forward by %d ms",
  async (stepMs) => {
    const seen: string[] = [];
    let finish: () => void = () => undefined;
    const { clock, outbox, reports, worker, runUntil } = start(({ id }) => {
      seen.push(id);
      return new Promise((resolve) => (finish = resolve));
    });
    outbox.store("one", clock.now());
    worker.wake();
    await runUntil(() => seen.length === 1, 10);
    clock.stepWall(stepMs);
    const from = clock.monotonicMs();
    await runUntil(() => clock.monotonicMs() - from >= 15_000, 5000);
    expect(seen).toEqual(["one"]);
    expect((outbox.dueTimes[0] ?? 0) - clock.now()).toBeGreaterThan(10 * 60_000);
    finish();
    await runUntil(() => reports.length === 1, 10);
    expect([reports[0]?.status, outbox.dueTimes[0]]).toEqual(["Sent", null]);
  },
);

test("does not deliver a running entry again when the wall clock is set back and then forward again", async () => {
  const seen: string[] = [];
  const { clock, outbox, worker, runUntil } = start(({ id }) => {
    seen.push(id);
    return never;
  });
  outbox.store("one", clock.now());
  worker.wake();
  await runUntil(() => seen.length === 1, 10);
  for (const stepMs of [-3_600_000, 3_600_000, 0]) {
    clock.stepWall(stepMs);
    const from = clock.monotonicMs();
    await runUntil(() => clock.monotonicMs() - from >= 10_000, 5000);
  }
  expect(seen).toEqual(["one"]);
});

test("retries after a failure of the store", async () => {
  const { clock, outbox, reports, faults, worker, runUntil } = start(async () => undefined);
  outbox.checkError = new Error("broken");
  outbox.store("one", clock.now());
  worker.wake();
  await runUntil(() => faults.length > 0);
  outbox.checkError = null;
  await runUntil(() => reports.length === 1);
});

test("starts no attempts after close(), waits at most three seconds for pending ones, and ignores those that end later", async () => {
  let letGo: () => void = () => undefined;
  const stuck = Promise.withResolvers<void>();
  const { clock, outbox, reports, worker, runUntil } = start(({ id }) =>
    id === "stuck" ? stuck.promise : new Promise((resolve) => (letGo = resolve)),
  );
  outbox.store("stuck", clock.now());
  outbox.store("slow", clock.now());
  const attempts = (): readonly number[] => [...outbox.rows.values()].map(({ item }) => item.attempts);
  worker.wake();
  await runUntil(() => attempts().every((count) => count === 1), 10);
  const closed = worker.close();
  outbox.store("new", clock.now());
  worker.wake();
  letGo();
  await until(() => reports.length === 1);
  clock.advance(3000);
  await closed;
  stuck.reject(new Error("aborted"));
  await stuck.promise.catch(() => undefined);
  // A stop is not an attempt of the entry, and no death.
  expect(attempts()).toEqual([0, 1, 0]);
  expect(outbox.rows.get("stuck")?.lease).toBeNull();
  expect(reports.length).toBe(1);
});
