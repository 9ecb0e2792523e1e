/** Measurement of another key's lists during an attack. */
import { setTimeout as pause } from "node:timers/promises";
import type { Program } from "../child.ts";
import { processTree, residentMegabytes } from "../child.ts";
import { HttpClient } from "../http-load.ts";
import { bystanderServer } from "./setting.ts";

/** Latencies of the lists and peak memory during one phase. */
export interface Observed {
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Highest sum of the resident sets of the service and its processes, in megabytes. */
  readonly peakMegabytes: number;
  readonly lists: number;
}

const pauseMs = 20;

/** Returns the resident sets of a process and its descendants, in megabytes. */
export function residentOfTree(pid: number): number {
  return processTree(pid).reduce((sum, one) => sum + residentOf(one), 0);
}

/** Returns 0 for a process that has ended meanwhile. */
function residentOf(pid: number): number {
  try {
    const megabytes = residentMegabytes(pid);
    return Number.isNaN(megabytes) ? 0 : megabytes;
  } catch {
    // It has ended since its parent listed it.
    return 0;
  }
}

/** Lists 50 messages of the bystander's server every 20 ms until `phase` settles; rejects as `phase` does. */
export async function observe(service: Program, key: string, phase: Promise<unknown>): Promise<Observed> {
  const times: number[] = [];
  const over = new AbortController();
  let peakMegabytes = 0;
  const settled = phase.finally(() => {
    over.abort();
  });
  const watch = async (): Promise<void> => {
    const client = await HttpClient.open(service.httpPort);
    const headers = `Authorization: Bearer ${key}\r\n`;
    do {
      const startedAt = performance.now();
      await client.get(`/api/messages?server=${bystanderServer}`, headers);
      times.push(performance.now() - startedAt);
      peakMegabytes = Math.max(peakMegabytes, residentOfTree(service.pid));
      await pause(pauseMs);
    } while (!over.signal.aborted);
    client.close();
  };
  await Promise.all([watch(), settled]);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { medianMs: at(0.5), p99Ms: at(0.99), maxMs: sorted.at(-1) ?? 0, peakMegabytes, lists: sorted.length };
}
