import { Problem } from "../../core/errors.ts";
import { WorkerDeath } from "../../core/worker.ts";
import { expect, onTestFinished, test } from "vitest";
import { MemoryQueue } from "../../queue/memory-queue.test-aid.ts";
import { startQueueWorker } from "../../queue/queue-worker.ts";
import type { CallbackOutcome, CallbackStatus, NewDelivery, StoredDelivery } from "../../store/callback-store.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import type { CallbackReceiver, RenderedCallback } from "./delivery-content.ts";
import { deliveryQueue, type CallbackReport, type CallbackSender } from "./delivery-queue.ts";
import type { CallbackResponse } from "./send-callback.ts";

type Send = (callback: RenderedCallback) => Promise<CallbackResponse>;

let deliveryCount = 0;

function delivery(queue: string, more: Partial<NewDelivery> = {}): NewDelivery {
  deliveryCount += 1;
  return {
    id: `d${deliveryCount}`,
    server: "abcd1234" as ServerId,
    target: queue,
    queue,
    message: null,
    deliversMessage: false,
    type: "message.received",
    content: new Uint8Array(),
    attemptsMax: null,
    dueAt: 0,
    createdAt: 0,
    ...more,
  };
}

/** Receiver whose URL is the ids of the deliveries, at the host of their queue. */
function receiver(batchCountMax = 1): CallbackReceiver {
  return {
    batchCountMax,
    render: async (deliveries) => ({
      url: `http://${deliveries[0]?.queue ?? ""}/${deliveries.map(({ id }) => id).join(",")}`,
      request: {
        headers: { Authorization: "Bearer x", "x-key": "k" },
        contentType: "text/plain",
        body: new Uint8Array(),
        secretHeaders: ["x-key"],
      },
      deliveryCount: deliveries.length,
    }),
  };
}

/** Store of deliveries in memory. */
class MemoryCallbacks extends MemoryQueue<StoredDelivery, CallbackOutcome> {
  constructor() {
    super({
      keyOf: ({ queue }) => queue,
      attemptsOf: ({ scheduleStep }) => scheduleStep,
      count: (one, change) => ({
        ...one,
        attemptCount: one.attemptCount + change,
        scheduleStep: one.scheduleStep + change,
      }),
    });
  }

  store(...deliveries: readonly NewDelivery[]): void {
    for (const one of deliveries) {
      const state = { status: "Pending", attemptCount: 0, scheduleStep: 0, attempts: [] } as const;
      this.add({ ...one, ...state, number: this.rows.size + 1, nextAttemptAt: one.dueAt }, one.dueAt);
    }
  }

  /** Returns the number of deliveries of a queue with this status. */
  count(queue: string, status: CallbackStatus): number {
    const rows = [...this.rows.values()].filter(({ item }) => item.queue === queue);
    return rows.filter(({ outcomes }) => (outcomes.at(-1)?.status ?? "Pending") === status).length;
  }
}

function start(send: Send, more: Partial<CallbackSender> = {}) {
  const clock = new FakeClock();
  const store = new MemoryCallbacks();
  const reports: CallbackReport[] = [];
  const errors: unknown[] = [];
  const sent: string[] = [];
  const sender: CallbackSender = {
    openReceiver: async () => receiver(),
    send: (callback) => {
      sent.push(callback.url.slice("http://".length));
      return send(callback);
    },
    ...more,
  };
  const task = { succeeded: () => undefined, failed: (error: unknown) => errors.push(error), end: () => undefined };
  const definition = deliveryQueue({
    queue: store,
    clock,
    firstPauseMs: 5000,
    random: () => 0.5,
    openSender: async () => sender,
    onRecorded: (report) => reports.push(report),
  });
  const worker = startQueueWorker({ clock, nodes: null, tasks: { register: () => task } }, definition);
  onTestFinished(async () => {
    const closed = worker.close();
    clock.advance(10_000);
    await closed;
  });
  /** Advances the clock in small steps, between which promises settle. */
  const run = async (ms: number, stepMs = 10): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { clock, store, reports, errors, sent, worker, run };
}

const ok: Send = async () => ({ status: 204, retryAfterMs: null });
const status =
  (code: number, retryAfterMs: number | null = null): Send =>
  async () => ({ status: code, retryAfterMs });
const never: Promise<CallbackResponse> = new Promise(() => undefined);

test("sends due deliveries once and records them", async () => {
  const { store, sent, reports, worker, run } = start(ok);
  store.store(...Array.from({ length: 500 }, () => delivery("q")));
  worker.wake();
  await run(500);
  expect([new Set(sent).size, sent.length]).toEqual([500, 500]);
  expect([store.count("q", "Delivered"), reports.length]).toEqual([500, 500]);
  const [report] = reports;
  expect(report?.outcome.attempt).toMatchObject({
    number: 1,
    responseStatus: 204,
    error: null,
    requestHeaders: { authorization: "***", "x-key": "***", "content-type": "text/plain" },
  });
});

test("repeats failed deliveries by the schedule until the last attempt has failed", async () => {
  const { store, sent, reports, run } = start(status(500));
  store.store(delivery("q"), delivery("q", { attemptsMax: 2 }));
  await run(20);
  expect(sent.length).toBe(2);
  await run(4900, 100);
  expect(sent.length).toBe(2);
  await run(200, 100);
  expect([sent.length, store.count("q", "Failed")]).toEqual([4, 1]);
  await run(76 * 3_600_000, 60_000);
  expect([sent.length, store.count("q", "Failed")]).toEqual([12, 2]);
  expect(reports.at(-1)?.outcome.attempt.error).toBe("The webhook responded with status 500");
});

test("keeps the claim counted of a delivery that ended the worker which rendered it, and soon tries again", async () => {
  const died = new Problem("unavailable", { cause: new WorkerDeath("out of memory") });
  const { store, clock, reports, run } = start(ok, {
    openReceiver: async () => ({ batchCountMax: 1, render: async () => Promise.reject(died) }),
  });
  store.store(delivery("q"));
  const from = clock.now();
  await run(20);
  expect(reports.map(({ outcome }) => outcome)).toMatchObject([{ status: "Pending", isDeath: true }]);
  expect((reports[0]?.outcome.dueAt ?? 0) - from).toBeLessThan(5100);
});

test("takes back the count of a claim whose lease was lost", async () => {
  const { store, reports, run } = start(async () => {
    for (const [id, row] of store.rows) store.rows.set(id, { ...row, lease: "of another node" });
    return { status: 204, retryAfterMs: null };
  });
  store.store(delivery("q"));
  await run(50);
  expect([store.forgiven, reports]).toEqual([[...store.rows.keys()], []]);
});

test("waits for as long as a receiver with status 503 asks, and sends it nothing meanwhile", async () => {
  const { store, sent, run } = start(status(503, 30_000));
  store.store(...Array.from({ length: 50 }, () => delivery("busy")));
  await run(1000);
  const startedCount = sent.length;
  expect(startedCount).toBeLessThanOrEqual(4);
  await run(28_000, 100);
  expect(sent.length).toBe(startedCount);
  await run(3000, 100);
  expect(sent.length).toBeGreaterThan(startedCount);
});

test("disables the target of a receiver that responds 410, and fails on redirects", async () => {
  const { store, reports, run } = start(async ({ url }) => ({
    status: url.includes("gone") ? 410 : 302,
    retryAfterMs: null,
  }));
  store.store(delivery("gone"), delivery("moved"));
  await run(100);
  expect(reports.find(({ delivery: { queue } }) => queue === "gone")?.outcome).toMatchObject({
    status: "Failed",
    disables: { reason: "The webhook responded with status 410" },
  });
  expect(reports.find(({ delivery: { queue } }) => queue === "moved")?.outcome).toMatchObject({
    status: "Pending",
    attempt: { responseStatus: 302, error: "The webhook responded with status 302" },
  });
});

test.each([1, 30, 200])("%i hanging receivers delay no other", async (hangingCount) => {
  const { store, sent, worker, run } = start((callback) => (callback.url.includes("//hanging") ? never : ok(callback)));
  for (let number = 0; number < hangingCount; number += 1) {
    store.store(...Array.from({ length: 100 }, () => delivery(`hanging${number}`)));
  }
  await run(1000);
  store.store(...Array.from({ length: 300 }, () => delivery("quick")));
  worker.wake();
  await run(1500);
  expect(store.count("quick", "Delivered")).toBe(300);
  // Each hanging receiver holds a bounded number of requests.
  expect(sent.length - 300).toBeLessThanOrEqual(hangingCount * 2);
});

test("runs at most 1,024 requests, and the next as soon as some have ended", async () => {
  const answers: ((response: CallbackResponse) => void)[] = [];
  const { store, sent, run } = start(() => new Promise((resolve) => answers.push(resolve)));
  for (let number = 0; number < 1500; number += 1) store.store(delivery(`q${number}`));
  await run(300);
  expect(sent.length).toBe(1024);
  for (const answer of answers.splice(0)) answer({ status: 200, retryAfterMs: null });
  await run(50);
  expect(sent.length).toBe(1500);
});

test("a receiver that begins to fail gets one request at a time, and its claims are returned", async () => {
  let isFailing = false;
  const { store, sent, worker, run } = start(async () => ({ status: isFailing ? 500 : 200, retryAfterMs: null }));
  store.store(...Array.from({ length: 100 }, () => delivery("q")));
  await run(200);
  isFailing = true;
  store.store(...Array.from({ length: 2000 }, () => delivery("q")));
  worker.wake();
  await run(600);
  const before = sent.length;
  await run(1000);
  expect(sent.length).toBeGreaterThan(before);
  expect([...store.rows.values()].filter(({ lease }) => lease !== null).length).toBeLessThanOrEqual(1);
  // Returned claims do not count as attempts.
  const counts = [...store.rows.values()].map(({ item, outcomes }) => item.attemptCount - outcomes.length);
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(1);
});

test("first attempts about one message run one after the other, also when the first fails", async () => {
  const answers: ((response: CallbackResponse) => void)[] = [];
  const { store, sent, run } = start(() => new Promise((resolve) => answers.push(resolve)));
  const message = "m" as MessageId;
  const [one, two, three] = [1, 2, 3].map(() => delivery("q", { message }));
  const other = delivery("q", { message: "n" as MessageId });
  store.store(...[one, two, three, other].filter((row) => row !== undefined));
  await run(50);
  expect(sent).toEqual([`q/${one?.id}`, `q/${other.id}`]);
  answers[0]?.({ status: 404, retryAfterMs: null });
  await run(50);
  expect(sent.slice(2)).toEqual([`q/${two?.id}`]);
  answers[2]?.({ status: 204, retryAfterMs: null });
  await run(50);
  expect(sent.slice(3)).toEqual([`q/${three?.id}`]);
});

test("sends deliveries of a target that takes batches in one request, in order", async () => {
  const { store, sent, run } = start(ok, { openReceiver: async () => receiver(100) });
  const rows = Array.from({ length: 30 }, (_, index) => delivery("q", { message: `m${index % 3}` as MessageId }));
  store.store(...rows);
  await run(100);
  const ids = sent.flatMap((url) => url.slice("q/".length).split(","));
  expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  expect(sent.length).toBeLessThanOrEqual(6);
  for (const name of ["m0", "m1", "m2"]) {
    const wanted = rows.filter(({ message }) => message === name).map(({ id }) => id);
    expect(ids.filter((id) => wanted.includes(id))).toEqual(wanted);
  }
});

test("puts deliveries back that a request does not carry", async () => {
  const alone: CallbackReceiver = {
    batchCountMax: 10,
    render: async (deliveries, now) => ({
      ...(await receiver().render(deliveries.slice(0, 1), now)),
      deliveryCount: 1,
    }),
  };
  const { store, sent, run } = start(ok, { openReceiver: async () => alone });
  store.store(...Array.from({ length: 20 }, () => delivery("q", { message: "m" as MessageId })));
  await run(400);
  expect([new Set(sent).size, sent.length, store.count("q", "Delivered")]).toEqual([20, 20, 20]);
});

test("reports failures of renderers: permanent ones are final, unexpected ones are retried", async () => {
  const { store, reports, errors, run } = start(ok, {
    openReceiver: async ({ queue }) => {
      if (queue === "bug") throw new Error("bug");
      throw new DeliveryFailure("No such target", { stage: "unknown", replyCode: null, isLocalRefusal: true });
    },
  });
  store.store(delivery("gone"), delivery("bug"));
  await run(100);
  expect(reports.map(({ outcome }) => [outcome.status, outcome.attempt.error])).toEqual([
    ["Failed", "No such target"],
    ["Pending", "Internal error"],
  ]);
  expect(errors).toEqual([new Error("bug")]);
});

test("keeps outcomes while the store fails, and sends nothing twice", async () => {
  const { store, sent, errors, run } = start(ok);
  store.recordError = new Error("disk full");
  store.store(...Array.from({ length: 10 }, () => delivery("q")));
  await run(3000, 100);
  expect([sent.length, store.count("q", "Delivered")]).toEqual([10, 0]);
  expect(errors.length).toBeGreaterThan(0);
  store.recordError = null;
  await run(2000, 100);
  expect([sent.length, store.count("q", "Delivered")]).toEqual([10, 10]);
});

test("close waits for running requests, and returns what was claimed and not sent", async () => {
  const answers: ((response: CallbackResponse) => void)[] = [];
  const { store, worker, run } = start(() => new Promise((resolve) => answers.push(resolve)));
  store.store(...Array.from({ length: 20 }, () => delivery("q")));
  await run(50);
  const closed = worker.close();
  for (const answer of answers) answer({ status: 200, retryAfterMs: null });
  await closed;
  expect([store.count("q", "Delivered"), answers.length]).toEqual([2, 2]);
  const unsent = [...store.rows.values()].filter(({ outcomes }) => outcomes.length === 0);
  expect(unsent.every(({ lease, item }) => lease === null && item.attemptCount === 0)).toBe(true);
});

test("close returns the claims of requests that run for longer than three seconds", async () => {
  const { clock, store, reports, worker, run } = start(async () => never);
  store.store(...Array.from({ length: 20 }, () => delivery("q")));
  await run(50);
  let isClosed = false;
  const close = async (): Promise<void> => {
    await worker.close();
    isClosed = true;
  };
  const closed = close();
  await run(2900, 100);
  expect(isClosed).toBe(false);
  clock.advance(200);
  await closed;
  expect([...store.rows.values()].every(({ lease, item }) => lease === null && item.attemptCount === 0)).toBe(true);
  expect(reports).toEqual([]);
});

test("close ends while the store fails", async () => {
  const { clock, store, worker, run } = start(ok);
  store.recordError = new Error("closed");
  store.store(delivery("q"));
  await run(50);
  const closed = worker.close();
  await run(3100, 100);
  await closed;
  await run(2000, 100);
  expect(clock.appointmentCount).toBe(0);
});
