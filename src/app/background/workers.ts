/**
 * Everything that leaves the service: outbox, callbacks, and the tasks that make deliveries of callbacks; and the quarantine of
 * work that ends the process.
 */
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { startCallbackDelivery } from "./callback-delivery.ts";
import { startDeliveryReports } from "./delivery-reports.ts";
import { startQuarantine } from "./mail-loops.ts";
import { startOutbox } from "./outbox.ts";
import { startChangeProcessing } from "./process-changes.ts";

/**
 * Starts the workers; the returned function stops them and waits for running attempts. Rejects as {@link startOutbox} does,
 * after those that were started have stopped.
 */
export async function startWorkers(
  assembly: Assembly,
  base: Pick<BaseDependencies, "config" | "log" | "nodes" | "tasks">,
): Promise<() => Promise<void>> {
  await using stack = new AsyncDisposableStack();
  stack.defer(startQuarantine(assembly, base));
  const reports = stack.adopt(startDeliveryReports(assembly, base.tasks), (running) => running.close());
  stack.defer(await startDeliveries(assembly, { ...base, reports }));
  stack.defer(startChangeProcessing(assembly, base));
  const running = stack.move();
  return () => running.disposeAsync();
}

/** Starts outbox and callbacks, which stop at the same time: each of them waits three seconds for receivers that do not answer. */
async function startDeliveries(
  assembly: Assembly,
  base: Parameters<typeof startOutbox>[1],
): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  const stops = [
    starting.adopt(await startOutbox(assembly, base), (stop) => stop()),
    starting.adopt(startCallbackDelivery(assembly, base), (stop) => stop()),
  ];
  starting.move();
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
