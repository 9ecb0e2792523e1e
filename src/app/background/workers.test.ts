import { createNotifiers } from "../context-dependencies.ts";
import { expect, test } from "vitest";
import { unobservedTasks } from "../../core/background-tasks.ts";
import { Problem } from "../../core/errors.ts";
import { createIdSource, newServerId } from "../../core/ids.ts";
import type { PendingReport } from "../../store/callback-store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { until } from "../../testing/until.test-aid.ts";
import { startDeliveryReports, type DeliveryReports } from "./workers.ts";

const ids = createIdSource(() => 1000);
const aReport = (): PendingReport => {
  const { id } = ids.next(newServerId(), "Sent");
  return { id, message: id };
};

/** Starts the task over a store without targets; `failures` are the errors of its first queries. */
function start(
  pending: readonly PendingReport[],
  failures: readonly Error[] = [],
): {
  readonly clock: FakeClock;
  readonly reports: DeliveryReports;
  readonly left: Set<PendingReport>;
  readonly queryCount: () => number;
  readonly failed: readonly (readonly [error: unknown, retryInMs: number | undefined])[];
} {
  const clock = new FakeClock();
  const left = new Set(pending);
  const failed: (readonly [unknown, number | undefined])[] = [];
  let queryCount = 0;
  const callbacks = {
    listPendingReports: async (limit: number) => {
      const failure = failures[queryCount];
      queryCount += 1;
      if (failure !== undefined) throw failure;
      return [...left].slice(0, limit);
    },
    listTargets: async () => [],
    finishReports: async ({ reports }: { readonly reports: readonly string[] }) => {
      for (const one of left) if (reports.includes(one.id)) left.delete(one);
    },
  };
  const context = { clock, store: { callbacks } } as unknown as Parameters<typeof startDeliveryReports>[0]["context"];
  const task = unobservedTasks.register("delivery_reports");
  const tasks = {
    states: () => [],
    register: () => ({ ...task, failed: (error: unknown, retryInMs?: number) => void failed.push([error, retryInMs]) }),
  };
  const reports = startDeliveryReports({ context, notifiers: createNotifiers() }, tasks);
  return { clock, reports, left, queryCount: () => queryCount, failed };
}

test("makes all reports that an earlier process left, and those of other nodes every 5 seconds", async () => {
  const { clock, reports, left } = start(Array.from({ length: 120 }, aReport));
  await until(() => left.size === 0 && clock.appointmentCount === 1);
  left.add(aReport());
  clock.advance(5000);
  await until(() => left.size === 0);
  await reports.close();
});

test("makes reports at once when it is woken", async () => {
  const { clock, reports, left } = start([]);
  await until(() => clock.appointmentCount === 1);
  left.add(aReport());
  reports.wake();
  await until(() => left.size === 0);
  await reports.close();
});

test("keeps the reports while the store is unavailable, and tries again after growing pauses", async () => {
  const outage = new Problem("unavailable");
  const { clock, reports, left, queryCount, failed } = start([aReport()], [outage, outage]);
  for (const [count, pauseMs] of [
    [1, 1000],
    [2, 2000],
  ] as const) {
    await until(() => queryCount() === count && clock.appointmentCount === 1);
    expect(left.size).toBe(1);
    clock.advance(pauseMs);
  }
  await until(() => left.size === 0);
  await reports.close();
  expect(failed).toEqual([
    [outage, 1000],
    [outage, 2000],
  ]);
});
