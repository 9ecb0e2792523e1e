/** Measurement of another key's lists during an attack. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { processTree, residentMegabytes } from "../child.ts";
import { HttpClient } from "../http-load.ts";
import { bystanderServer, type Setting } from "./setting.ts";

/** Latencies of the lists and peak memory during one phase. */
export interface Observed {
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Highest memory of the service and its processes, by {@link memoryOf}. */
  readonly peakMegabytes: number;
  readonly lists: number;
}

const pauseMs = 20;

/**
 * Returns the memory of the service and its processes in megabytes: what they allocated, by the statistics of the control group;
 * without one the sum of their resident sets, which counts what they share several times.
 */
export function memoryOf({ group, service }: Pick<Setting, "group" | "service">): number {
  if (group !== null) {
    const bytes = /^(?:total_rss|anon) (\d+)$/m.exec(readFileSync(join(group, "memory.stat"), "utf8"))?.[1];
    return Number(bytes) / 1e6;
  }
  return processTree(service.pid).reduce((sum, one) => sum + residentOf(one), 0);
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
export async function observe(setting: Setting, phase: Promise<unknown>): Promise<Observed> {
  const { service, bystanderKey: key } = setting;
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
      peakMegabytes = Math.max(peakMegabytes, memoryOf(setting));
      await pause(pauseMs);
    } while (!over.signal.aborted);
    client.close();
  };
  await Promise.all([watch(), settled]);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { medianMs: at(0.5), p99Ms: at(0.99), maxMs: sorted.at(-1) ?? 0, peakMegabytes, lists: sorted.length };
}
