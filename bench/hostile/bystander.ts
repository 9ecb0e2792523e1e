/** Measurement of another key's lists during an attack. */
import { setTimeout as pause } from "node:timers/promises";
import type { Program } from "../child.ts";
import { residentMegabytes } from "../child.ts";
import { HttpClient } from "../http-load.ts";
import { bystanderServer } from "./setting.ts";

/** Latencies of the lists and peak memory during one phase. */
export interface Observed {
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Highest resident set, in megabytes. */
  readonly peakMegabytes: number;
  readonly lists: number;
}

const pauseMs = 20;

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
      peakMegabytes = Math.max(peakMegabytes, residentMegabytes(service.pid));
      await pause(pauseMs);
    } while (!over.signal.aborted);
    client.close();
  };
  await Promise.all([watch(), settled]);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { medianMs: at(0.5), p99Ms: at(0.99), maxMs: sorted.at(-1) ?? 0, peakMegabytes, lists: sorted.length };
}
