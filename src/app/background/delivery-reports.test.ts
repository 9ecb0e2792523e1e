import { expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { createIdSource, newServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { until } from "../../testing/http-test-server.test-aid.ts";
import { startDeliveryReports, type DeliveryReports } from "./delivery-reports.ts";

const ids = createIdSource(() => 1000);

function start(failures: readonly Error[]): {
  readonly clock: FakeClock;
  readonly reports: DeliveryReports;
  readonly reads: () => number;
  readonly failed: readonly (readonly [error: unknown, retryInMs: number | undefined])[];
} {
  const clock = new FakeClock();
  const failed: (readonly [unknown, number | undefined])[] = [];
  let reads = 0;
  const listTargets = async (): Promise<readonly never[]> => {
    const failure = failures[reads];
    reads += 1;
    if (failure !== undefined) throw failure;
    return [];
  };
  const context = { clock, store: { callbacks: { listTargets } } } as unknown as Parameters<
    typeof startDeliveryReports
  >[0];
  const task = { failed: (error: unknown, retryInMs?: number) => void failed.push([error, retryInMs]) };
  return { clock, reports: startDeliveryReports(context, task), reads: () => reads, failed };
}

const message = (): Parameters<DeliveryReports["add"]>[0] => ids.next(newServerId(), "Sent").id;

test("makes a report again while the store is unavailable", async () => {
  const outage = new Problem("unavailable");
  const { clock, reports, reads, failed } = start([outage, outage]);
  reports.add(message());
  for (const attempts of [1, 2]) {
    await until(() => reads() === attempts && clock.appointmentCount === 1);
    clock.advance(1000);
  }
  await until(() => reads() === 3);
  await reports.close();
  expect(failed).toEqual([
    [outage, 1000],
    [outage, 1000],
  ]);
});

test("drops a report that fails for another reason, and makes the next one", async () => {
  const failure = new Error("damaged");
  const { reports, reads, failed } = start([failure]);
  reports.add(message());
  reports.add(message());
  await until(() => reads() === 2);
  expect(failed).toEqual([[failure, undefined]]);
});

test("close() does not wait for the store to return", async () => {
  const outage = new Problem("unavailable");
  const { clock, reports, reads } = start([outage, outage]);
  reports.add(message());
  await until(() => clock.appointmentCount === 1);
  await reports.close();
  expect(reads()).toBe(2);
});
