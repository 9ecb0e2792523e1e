import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { WorkerDeath } from "../../core/worker-death.ts";
import { openHttpTestServer, type HttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import type { ScanOutcome } from "./scan-message.ts";
import { ScanWorker, type ScanResult } from "./scan-worker.ts";

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

function openWorker(): ScanWorker {
  let running: PromiseWithResolvers<ScanOutcome>[] = [];
  finish = (outcome) => {
    const settled = running;
    running = [];
    for (const { resolve, reject } of settled) {
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
  };
  return new ScanWorker({
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
    holder: null,
    task: { failed: (error) => void failures.push(error) },
    onEnded: (result) => void ended.push(result),
  });
}

/** Creates a server with a scanner that has received so many mails. */
async function aServerWith(mailCount: number, delayMs = 0): Promise<readonly MessageId[]> {
  const server = await api.addServer();
  await api.ask(`PUT /api/servers/${server.id}/scanner`, { body: { profile: "custom", delayMs } });
  const ids: MessageId[] = [];
  for (let at = 0; at < mailCount; at += 1) ids.push(await api.deliver(server, { text: "Hello\n" }));
  return ids;
}

/** Waits until so many scans have started since the start of the test. */
async function startedScans(count: number): Promise<void> {
  await expect.poll(() => started.length).toBe(count);
}

/** Waits until so many scans have ended since the start of the test. */
async function endedScans(count: number): Promise<void> {
  await expect.poll(() => ended.length).toBe(count);
}

test("runs two scans of a server and eight in all, and further ones when they end", async () => {
  const worker = openWorker();
  const all = [
    await aServerWith(5),
    await aServerWith(2),
    await aServerWith(2),
    await aServerWith(2),
    await aServerWith(2),
  ];
  await worker.check();
  await startedScans(8);
  const serverCounts = Map.groupBy(started, (id) => decodeMessageId(id).server);
  expect([...serverCounts.values()].map(({ length }) => length)).toEqual([2, 2, 2, 2]);
  finish("stored");
  await startedScans(12);
  finish("stored");
  await startedScans(13);
  finish("stored");
  await endedScans(13);
  expect(new Set(started)).toEqual(new Set(all.flat()));
  expect(await api.context.store.scanners.countScans()).toBe(0);
  await worker.close();
});

test("waits for the delay of the scanner", async () => {
  const worker = openWorker();
  await aServerWith(1, 5000);
  api.clock.advance(4999);
  await worker.check();
  expect(started).toEqual([]);
  api.clock.advance(1);
  await worker.check();
  await startedScans(1);
  finish("stored");
  await endedScans(1);
  await worker.close();
});

test("repeats a failed scan four times with growing pauses, then drops it", async () => {
  const worker = openWorker();
  await aServerWith(1);
  for (const [at, pauseMs] of [10_000, 60_000, 600_000, 3_600_000, 0].entries()) {
    await worker.check();
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
  expect(await api.context.store.scanners.countScans()).toBe(0);
  await worker.close();
});

test("does not scan a message whose scans have ended the process twice", async () => {
  const [id] = await aServerWith(1);
  for (let crashes = 0; crashes < 2; crashes += 1) {
    const claim = { now: api.clock.now(), leasedUntil: api.clock.now(), lease: "dead", countMax: 1 };
    const server = decodeMessageId(id as MessageId).server;
    await api.context.store.scanners.claimScans({ ...claim, server });
  }
  const worker = openWorker();
  await worker.check();
  expect([ended, started]).toEqual([[], []]);
  expect(await api.context.store.quarantine.quarantineDue(api.clock.now())).toMatchObject([{ queue: "scans", id }]);
  await worker.close();
});

test("leaves the lease of a scan that ended its worker, whose claim stays counted", async () => {
  const [id] = await aServerWith(1);
  const died = new Problem("unavailable", { cause: new WorkerDeath("out of memory") });
  const worker = openWorker();
  await worker.check();
  await startedScans(1);
  finish(died);
  await worker.close();
  expect(failures).toEqual([died]);
  const server = decodeMessageId(id as MessageId).server;
  const later = api.clock.now() + 300_000;
  const claim = { server, now: later, leasedUntil: later, lease: "next", countMax: 1 };
  expect(await api.context.store.scanners.claimScans(claim)).toMatchObject([{ message: id, attempts: 2 }]);
  expect(await api.context.store.quarantine.quarantineDue(later)).toMatchObject([{ queue: "scans", id }]);
  expect(ended).toEqual([]);
});

test("makes a scan due again when the service shuts down", async () => {
  const worker = openWorker();
  const [id] = await aServerWith(1);
  await worker.check();
  await startedScans(1);
  const closed = worker.close();
  finish("stopped");
  await closed;
  const next = openWorker();
  await next.check();
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
  const check = worker.check();
  await scanners.setScanner(server, null);
  await check;
  await worker.close();
  expect(await scanners.countScans()).toBe(0);
});
