import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { join } from "node:path";
import {
  peakMegabytes,
  processorMs,
  resetPeak,
  residentMegabytes,
  startBareHttp,
  startService,
  type Program,
  waitUntilIndexed,
} from "./child.ts";
import { floodShapes, type FloodShape } from "./flood-shapes.ts";
import { printTable, whole } from "./report.ts";
import { sendLoad } from "./senders.ts";

/** Time after which a service is idle. */
const idleMs = 2500;
const load = { domain: "benchsrv.restante.test", senders: 20, keepsConnection: true };

/**
 * Measures resident memory while mails come in, and until the index has caught up: 40,000 of 26 kB, then floods of mails of
 * other shapes, each to a service of its own. The index works concurrently when its backlog exceeds `farBehindMessageCount`.
 * Maxima are those of the kernel, which misses none.
 */
export async function benchMemory(): Promise<void> {
  const bare = await startBareHttp(join(import.meta.dirname, "bare-http.ts"));
  await pause(idleMs);
  const floor = residentMegabytes(bare.pid);
  await bare.stop();
  await using service = await startIdle();
  const row = (name: string, most: string): string[] => {
    const megabytes = residentMegabytes(service.pid);
    return [name, megabytes.toFixed(0), most, `${(megabytes / floor).toFixed(1)}×`];
  };
  const rows: string[][] = [["bare node:http, idle", floor.toFixed(0), "", "1.0×"], row("idle", "")];
  for (let thousands = 5; thousands <= 40; thousands += 5) {
    await sendLoad({ ...load, port: service.smtpPort, mails: 5000 });
    rows.push(row(`after ${String(thousands)},000 mails`, peakMegabytes(service.pid).toFixed(0)));
  }
  await waitUntilIndexed(service);
  rows.push(row("when all is indexed", peakMegabytes(service.pid).toFixed(0)));
  const target = "Memory while mail comes in (target: 110 MB idle, at most 200 MB until 20,000)";
  printTable(target, ["", "RSS, MB", "at most so far", "RSS to floor"], rows);
  const shapes: string[][] = [];
  for (const shape of floodShapes) shapes.push(await floodRow(shape));
  const head = ["mails", "count", "at most, MB", "at most while they are indexed", "afterwards", "CPU, µs per mail"];
  printTable("Memory while mails of other shapes come in", head, shapes);
}

async function floodRow({ name, mails, senders, mail }: FloodShape): Promise<string[]> {
  await using service = await startIdle();
  const before = processorMs(service.pid);
  await sendLoad({ ...load, port: service.smtpPort, mails, senders, mail });
  const most = peakMegabytes(service.pid);
  resetPeak(service.pid);
  await waitUntilIndexed(service);
  const microseconds = ((processorMs(service.pid) - before) * 1000) / mails;
  const megabytes = [most, peakMegabytes(service.pid), residentMegabytes(service.pid)];
  return [name, whole(mails), ...megabytes.map((figure) => figure.toFixed(0)), whole(microseconds)];
}

/** Starts a service whose peak is that from now on. */
async function startIdle(): Promise<Program & AsyncDisposable> {
  const service = await startService(existsSync(join(import.meta.dirname, "../dist/cli/main.js")) ? "build" : "source");
  await pause(idleMs);
  resetPeak(service.pid);
  return { ...service, [Symbol.asyncDispose]: async () => service.stop() };
}
