import { expect, onTestFinished, test } from "vitest";
import type { QuarantineStore } from "../../store/quarantine-store.ts";
import type {
  AttemptOutcome,
  Claim,
  DueTimeBounds,
  LeaseExtension,
  NewOutboxEntry,
  OutboxEntry,
  OutboxStore,
} from "../../store/outbox-store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { until } from "../../testing/until.test-aid.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { startOutboxWorker, type AttemptReport, type OutboxWorker } from "./outbox-worker.ts";

interface Held extends OutboxEntry {
  dueAt: number | null;
  lease: string | null;
}

type WorkerCalls = "boundDueTimes" | "claimEntries" | "extendLeases" | "nextDueAt" | "recordAttempt";

/** Outbox in memory. */
class ToyOutbox implements Pick<OutboxStore, WorkerCalls> {
  readonly held: Held[] = [];
  isBroken = false;

  add(id: string, at: number): void {
    const entry: Omit<NewOutboxEntry, "status" | "lastError"> = {
      id,
      message: null,
      route: "relay",
      mailFrom: "",
      rcptTo: [],
      content: null,
      at,
    };
    this.held.push({ ...entry, attempts: 0, dueAt: at, lease: null });
  }

  async boundDueTimes({ now, pausesMsMax, leaseMsMax }: DueTimeBounds): Promise<number> {
    for (const one of this.held) {
      const boundMs = one.lease === null ? (pausesMsMax[one.attempts] ?? 0) : leaseMsMax;
      if (one.dueAt !== null) one.dueAt = Math.min(one.dueAt, now + boundMs);
    }
    return 0;
  }

  async nextDueAt(): Promise<number | null> {
    if (this.isBroken) throw new Error("broken");
    const due = this.held.flatMap(({ dueAt }) => dueAt ?? []);
    return due.length === 0 ? null : Math.min(...due);
  }

  async claimEntries({ now, leaseEndsAt, lease, limit }: Claim): Promise<readonly OutboxEntry[]> {
    const due = this.held.filter(({ dueAt }) => dueAt !== null && dueAt <= now).slice(0, limit);
    return due.map((one) => {
      Object.assign(one, { dueAt: leaseEndsAt, lease, attempts: one.attempts + 1 });
      return { ...one };
    });
  }

  async extendLeases({ attempts, leaseEndsAt }: LeaseExtension): Promise<void> {
    for (const one of this.held) {
      if (attempts.some(({ entry, lease }) => one.id === entry && one.lease === lease)) one.dueAt = leaseEndsAt;
    }
  }

  async recordAttempt({ entry, lease, dueAt }: AttemptOutcome): Promise<{ sequence: null } | undefined> {
    const found = this.held.find((one) => one.id === entry && one.lease === lease);
    if (found === undefined) return undefined;
    Object.assign(found, { dueAt, lease: null });
    return { sequence: null };
  }
}

function start(deliver: (entry: OutboxEntry) => Promise<void>) {
  const clock = new FakeClock();
  const outbox = new ToyOutbox();
  const reports: AttemptReport[] = [];
  const faults: unknown[] = [];
  const forgiven: string[] = [];
  const quarantine = {
    forgiveClaims: async (_queue: string, ids: readonly string[]) => void forgiven.push(...ids),
  } as unknown as QuarantineStore;
  const store = { outbox: outbox as unknown as OutboxStore, quarantine };
  const worker: OutboxWorker = startOutboxWorker({
    store,
    clock,
    deliver,
    firstPauseMs: 60_000,
    random: () => 0.5,
    onAttempt: (report) => reports.push(report),
    task: { succeeded: () => undefined, failed: (error) => faults.push(error) },
  });
  onTestFinished(async () => {
    const closed = worker.close();
    clock.advance(10_000);
    await closed;
  });
  return { clock, outbox, reports, faults, forgiven, worker };
}

const failure = (replyCode: number): DeliveryFailure =>
  new DeliveryFailure(`${replyCode} said so`, { stage: "data", replyCode, isLocalRefusal: false });
const never = new Promise<void>(() => undefined);

test("delivers due entries once, immediately after wake()", async () => {
  const seen: string[] = [];
  const { clock, outbox, reports, worker } = start(async ({ id }) => void seen.push(id));
  for (let number = 0; number < 23; number += 1) outbox.add(String(number), clock.now());
  worker.wake();
  await until(() => reports.length === 23);
  expect(new Set(seen).size).toBe(23);
  expect(reports.every(({ status, failure: none }) => status === "Sent" && none === null)).toBe(true);
});

test("finds entries added by other processes within five seconds", async () => {
  const { clock, outbox, reports } = start(async () => undefined);
  await until(() => clock.appointmentCount === 1);
  outbox.add("late", clock.now());
  clock.advance(5000);
  await until(() => reports.length === 1);
});

test("delivers at most five entries at a time, and none twice", async () => {
  const seen: string[] = [];
  const { clock, outbox, worker } = start(({ id }) => {
    seen.push(id);
    return never;
  });
  for (let number = 0; number < 8; number += 1) outbox.add(String(number), clock.now());
  worker.wake();
  worker.wake();
  await until(() => seen.length === 5);
  worker.wake();
  clock.advance(60_000);
  await until(() => clock.appointmentCount === 1);
  expect(seen).toEqual(["0", "1", "2", "3", "4"]);
});

test("retries temporary failures after doubling pauses until a success", async () => {
  let tries = 0;
  const { clock, outbox, reports, worker } = start(async () => {
    tries += 1;
    if (tries < 3) throw failure(451);
  });
  const begun = clock.now();
  outbox.add("one", begun);
  worker.wake();
  await until(() => reports.length === 1);
  expect([reports[0]?.status, outbox.held[0]?.dueAt]).toEqual(["Queued", begun + 60_000]);
  for (let step = 0; reports.length < 2; step += 1) {
    await until(() => clock.appointmentCount > 0 || reports.length === 2);
    clock.advance(5000);
  }
  expect((outbox.held[0]?.dueAt ?? 0) - clock.now()).toBeGreaterThan(100_000);
  while (reports.length < 3) {
    await until(() => clock.appointmentCount > 0 || reports.length === 3);
    clock.advance(5000);
  }
  expect(reports.map(({ status }) => status)).toEqual(["Queued", "Queued", "Sent"]);
});

test("fails an entry after a permanent failure or the thirteenth attempt", async () => {
  const { clock, outbox, reports, worker } = start(({ id }) => Promise.reject(failure(id === "no" ? 550 : 451)));
  outbox.add("no", clock.now());
  outbox.add("later", clock.now());
  for (const one of outbox.held) if (one.id === "later") Object.assign(one, { attempts: 12 });
  worker.wake();
  await until(() => reports.length === 2);
  expect(reports.map(({ status }) => status)).toEqual(["Failed", "Failed"]);
  expect(outbox.held.map(({ dueAt }) => dueAt)).toEqual([null, null]);
});

test("retries after an unexpected error, and does not disclose its message", async () => {
  const { clock, outbox, reports, worker } = start(() => Promise.reject(new TypeError("secret detail")));
  outbox.add("one", clock.now());
  worker.wake();
  await until(() => reports.length === 1);
  expect(reports[0]?.status).toBe("Queued");
  expect(reports[0]?.failure?.message).not.toContain("secret");
});

test.each([1, 4])("retries in time when the wall clock was set back after %d attempts", async (attemptCount) => {
  const { clock, outbox, reports, worker } = start(() => Promise.reject(failure(451)));
  outbox.add("one", clock.now());
  Object.assign(outbox.held[0] ?? {}, { attempts: attemptCount - 1 });
  worker.wake();
  await until(() => reports.length === 1);
  clock.stepWall(-5 * 3_600_000);
  const [one] = outbox.held;
  const setBackAt = clock.monotonicMs();
  while (reports.length < 2) {
    await until(() => clock.appointmentCount > 0 || reports.length === 2);
    clock.advance(5000);
  }
  expect(one?.attempts).toBe(attemptCount + 1);
  expect(clock.monotonicMs() - setBackAt).toBeLessThan(2 * 60_000 * 2 ** (attemptCount - 1));
});

test.each([16 * 60_000, 24 * 3_600_000])(
  "does not deliver a running entry again when the wall clock is stepped forward by %d ms",
  async (stepMs) => {
    const seen: string[] = [];
    let finish: () => void = () => undefined;
    const { clock, outbox, reports, worker } = start(({ id }) => {
      seen.push(id);
      return new Promise((resolve) => (finish = resolve));
    });
    outbox.add("one", clock.now());
    worker.wake();
    await until(() => clock.appointmentCount === 1);
    clock.stepWall(stepMs);
    for (let checks = 0; checks < 3; checks += 1) {
      clock.advance(5000);
      await until(() => clock.appointmentCount === 1);
    }
    expect(seen).toEqual(["one"]);
    expect((outbox.held[0]?.dueAt ?? 0) - clock.now()).toBeGreaterThan(10 * 60_000);
    finish();
    await until(() => reports.length === 1);
    expect([reports[0]?.status, outbox.held[0]?.dueAt]).toEqual(["Sent", null]);
  },
);

test("does not deliver a running entry again when the wall clock is set back and then forward again", async () => {
  const seen: string[] = [];
  const { clock, outbox, worker } = start(({ id }) => {
    seen.push(id);
    return never;
  });
  outbox.add("one", clock.now());
  worker.wake();
  for (const stepMs of [-3_600_000, 3_600_000, 0]) {
    await until(() => clock.appointmentCount === 1);
    clock.stepWall(stepMs);
    clock.advance(5000);
  }
  await until(() => clock.appointmentCount === 1);
  expect(seen).toEqual(["one"]);
});

test("retries after a failure of the store", async () => {
  const { clock, outbox, reports, faults, worker } = start(async () => undefined);
  outbox.isBroken = true;
  outbox.add("one", clock.now());
  worker.wake();
  await until(() => faults.length > 0 && clock.appointmentCount === 1);
  outbox.isBroken = false;
  clock.advance(5000);
  await until(() => reports.length === 1);
});

test("starts no attempts after close(), waits at most three seconds for pending ones, and ignores those that end later", async () => {
  let letGo: () => void = () => undefined;
  const stuck = Promise.withResolvers<void>();
  const { clock, outbox, reports, forgiven, worker } = start(({ id }) =>
    id === "stuck" ? stuck.promise : new Promise((resolve) => (letGo = resolve)),
  );
  outbox.add("stuck", clock.now());
  outbox.add("slow", clock.now());
  worker.wake();
  await until(() => outbox.held.every(({ attempts }) => attempts === 1));
  const closed = worker.close();
  outbox.add("new", clock.now());
  worker.wake();
  letGo();
  await until(() => reports.length === 1);
  clock.advance(3000);
  await closed;
  stuck.reject(new Error("aborted"));
  await stuck.promise.catch(() => undefined);
  expect(outbox.held.map(({ attempts }) => attempts)).toEqual([1, 1, 0]);
  expect(outbox.held[0]?.lease).not.toBeNull();
  expect(reports.length).toBe(1);
  // A stop is not a death of the entry.
  expect(forgiven).toEqual(["stuck"]);
});
