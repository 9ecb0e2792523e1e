import { runOnce } from "../../queue/run-once.test-aid.ts";
import type { Context } from "../context.ts";
import { arrivalQueue, type Arrival, type ArrivalScans } from "./arrive-scheduled.ts";

const noScans: ArrivalScans = {
  scanner: { scanHeld: () => Promise.reject(new Error("no mail is scanned here")) },
  onStarted: () => undefined,
  onFailed: () => undefined,
};

/** Lets messages that are due now arrive, at most ten; returns the results. */
export async function arriveDue(context: Context, scans: ArrivalScans = noScans): Promise<readonly Arrival[]> {
  const ended: Arrival[] = [];
  const definition = arrivalQueue(context, scans, (arrival) => void ended.push(arrival));
  await runOnce(definition, context.clock, scans.onFailed);
  return ended;
}
