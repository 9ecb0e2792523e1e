import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { type MessageId, decodeMessageId } from "../../core/ids.ts";
import { WorkerDeath } from "../../core/worker.ts";
import { type HttpTestServer, openHttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import type { ScanOutcome } from "./scan-message.ts";
import { type ScanResult, reportQuarantinedScans, scanQueue } from "./scan-queue.ts";
import { type QueueWorker, startQueueWorker } from "../../queue/queue-worker.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

let ended: ScanResult[];
let failures: unknown[];
let started: MessageId[];
/** Ends the scans that run. */
let finish: (outcome: ScanOutcome | Error) => void;
beforeEach(() => {
  ended = [];
  failures = [];
  started = [];
});

function openWorker(): QueueWorker {
  let running: PromiseWithResolvers<ScanOutcome>[] = [];
  finish = (outcome) => {
    const settled = running;
    running = [];
    for (const { resolve, reject } of settled) {
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
  };
  const definition = scanQueue({
    store: api.context.store,
    clock: api.clock,
    scanner: {
      scan: async (message) => {
        started.push(message);
        const scan = Promise.withResolvers<ScanOutcome>();
        running.push(scan);
        return scan.promise;
      },
    },
    onEnded: (result) => void ended.push(result),
  });
  const task = { succeeded: () => undefined, failed: (error: unknown) => failures.push(error), end: () => undefined };
  return startQueueWorker({ clock: api.clock, nodes: null, tasks: { register: () => task } }, definition);
}

/** Creates a server with a scanner that has received so many mails. */
async function aServerWith(mailCount: number, delayMs = 0): Promise<readonly MessageId[]> {
  const server = await api.addServer();
  await api.ask(`PUT /api/servers/${server.id}/scanner`, { body: { profile: "custom", delayMs } });
  const ids: MessageId[] = [];
  for (let at = 0; at < mailCount; at += 1) ids.push(await api.deliver(server, { text: "Hello\n" }));
  return ids;
}

/** Lets the worker check several times, within a hundredth of a second. */
async function check(worker: QueueWorker): Promise<void> {
  worker.wake();
  for (let turn = 0; turn < 10; turn += 1) {
    api.clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits until so many scans have started since the start of the test. */
async function startedScans(count: number): Promise<void> {
  await expect.poll(() => (api.clock.advance(10), started.length), { interval: 1 }).toBe(count);
}

/** Waits until so many scans have ended since the start of the test. */
async function endedScans(count: number): Promise<void> {
  await expect.poll(() => ended.length).toBe(count);
}

test("runs eight scans, fairly between servers, and further ones when they end", async () => {
  const worker = openWorker();
  const all: (readonly MessageId[])[] = [];
  for (const count of [5, 2, 2, 2, 2]) all.push(await aServerWith(count));
  await check(worker);
  await startedScans(8);
  const serverCounts = Map.groupBy(started, (id) => decodeMessageId(id).server);
  expect([...serverCounts.values()].map(({ length }) => length).toSorted((one, other) => one - other)).toEqual([
    1, 1, 2, 2, 2,
  ]);
  while (ended.length < 13) {
    finish("stored");
    await check(worker);
  }
  expect(new Set(started)).toEqual(new Set(all.flat()));
  await check(worker);
  await expect.poll(async () => (await api.context.store.scanners.queue.countPending()).count).toBe(0);
  await worker.close();
});

test("runs two scans of a server at the same time", async () => {
  const worker = openWorker();
  await aServerWith(3);
  await check(worker);
  expect(started).toHaveLength(2);
  finish("stored");
  await startedScans(3);
  finish("stored");
  await endedScans(3);
  await worker.close();
});

test("waits for the delay of the scanner", async () => {
  const worker = openWorker();
  await aServerWith(1, 5000);
  api.clock.advance(4900);
  await check(worker);
  expect(started).toEqual([]);
  api.clock.advance(100);
  await check(worker);
  await startedScans(1);
  finish("stored");
  await endedScans(1);
  await worker.close();
});

test("repeats a failed scan four times with growing pauses, then drops it", async () => {
  const worker = openWorker();
  await aServerWith(1);
  for (const [at, pauseMs] of [10_000, 60_000, 600_000, 3_600_000, 0].entries()) {
    await check(worker);
    await startedScans(at + 1);
    finish(new Error("the analysis failed"));
    await endedScans(at + 1);
    api.clock.advance(pauseMs);
  }
  expect(ended.map(({ attempts, outcome }) => `${String(attempts)} ${outcome}`)).toEqual([
    "1 postponed",
    "2 postponed",
    "3 postponed",
    "4 postponed",
    "5 dropped",
  ]);
  expect(failures).toHaveLength(5);
  await expect.poll(async () => (await api.context.store.scanners.queue.countPending()).count).toBe(0);
  await worker.close();
});

test("does not scan a message whose scans have ended the process twice", async () => {
  const [id] = await aServerWith(1);
  for (let crashes = 0; crashes < 2; crashes += 1) {
    const keys = [{ key: decodeMessageId(id as MessageId).server, limit: 1 }];
    const now = api.clock.now();
    await api.context.store.scanners.queue.claim({ now, leaseEndsAt: now, lease: "dead", keys });
  }
  const worker = openWorker();
  await check(worker);
  expect([ended, started]).toEqual([[], []]);
  expect(await api.context.store.quarantine.quarantineDue(api.clock.now())).toMatchObject([{ queue: "scans", id }]);
  await worker.close();
});

test("soon tries again a scan that ended its worker, and quarantines it after the second time", async () => {
  const [id] = await aServerWith(1);
  const died = new Problem("unavailable", { cause: new WorkerDeath("out of memory") });
  const worker = openWorker();
  for (const count of [1, 2]) {
    await check(worker);
    await startedScans(count);
    finish(died);
    await endedScans(count);
    await expect.poll(async () => (await api.context.store.scanners.queue.nextDueAt()) ?? 0).toBeGreaterThan(0);
    api.clock.advance(10_000);
  }
  expect(failures).toEqual([died, died]);
  expect(ended).toMatchObject([{ outcome: "postponed" }, { outcome: "postponed" }]);
  await check(worker);
  expect(started).toHaveLength(2);
  expect(await api.context.store.quarantine.quarantineDue(api.clock.now())).toMatchObject([{ queue: "scans", id }]);
  await worker.close();
});

test("makes a scan due again when the service shuts down", async () => {
  const worker = openWorker();
  const [id] = await aServerWith(1);
  await check(worker);
  await startedScans(1);
  const closed = worker.close();
  finish("stopped");
  await closed;
  const next = openWorker();
  await check(next);
  await startedScans(2);
  expect(started).toEqual([id, id]);
  finish("stored");
  await endedScans(2);
  await next.close();
});

test("does not scan for a scanner that was removed after the claim", async () => {
  const [id] = await aServerWith(1);
  const { server } = decodeMessageId(id as MessageId);
  const worker = openWorker();
  const { scanners } = api.context.store;
  const checked = check(worker);
  await scanners.setScanner(server, null);
  await checked;
  await worker.close();
  await expect.poll(async () => (await scanners.queue.countPending()).count).toBe(0);
});

test("reports quarantined scans of messages with a scanner that have no report yet", async () => {
  const server = await api.addServer();
  await api.context.store.scanners.setScanner(server.id, '{"profile":"safelinks","when":"after"}');
  const [message, scanned] = [await api.deliver(server, { text: "a" }), await api.deliver(server, { text: "b" })];
  const unscanned = await api.deliver(await api.addServer(), { text: "c" });
  const quarantinedAt = api.clock.now();
  const work = { queue: "scans", quarantinedAt } as const;
  const scanOf = async (id: string): Promise<unknown> => {
    const reply = await api.ask(`GET /api/messages/${id}/scan`);
    return reply.statusCode === 200 ? reply.json() : reply.statusCode;
  };
  await reportQuarantinedScans(api.context.store, [
    { ...work, queue: "outbox", message: scanned },
    { ...work, message },
    { ...work, message: unscanned },
  ]);
  const at = new Date(quarantinedAt).toISOString();
  const report = { profile: "safelinks", when: "after", result: "quarantined", started: at, requests: [] };
  expect(await scanOf(message)).toMatchObject(report);
  expect([await scanOf(scanned), await scanOf(unscanned)]).toEqual([404, 404]);
  await reportQuarantinedScans(api.context.store, [{ ...work, message, quarantinedAt: quarantinedAt + 1 }]);
  expect(await scanOf(message)).toMatchObject(report);
});
