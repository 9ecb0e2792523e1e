/** Statistics for the charts. */
import { addressOf } from "../shared/format.ts";
import type { Contact, Summary } from "../wire.ts";

/** Number of messages in an interval. */
export interface Bucket {
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly count: number;
}

/** A name and how many messages have it. */
export interface Ranked {
  readonly name: string;
  readonly count: number;
}

const stepsMs = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800].map(
  (s) => s * 1000,
);
const bucketCountMax = 60;
const bucketCountMin = 30;

/** Counts messages in 30 to 60 intervals of equal, round length up to `nowMs`; no intervals without messages. */
export function receivedOverTime(
  messages: readonly Summary[],
  nowMs: number,
): { readonly stepMs: number; readonly buckets: readonly Bucket[] } {
  const times = messages.map((message) => Date.parse(message.received));
  const first = Math.min(...times);
  if (times.length === 0) return { stepMs: 1000, buckets: [] };
  const stepMs =
    stepsMs.find((step) => (nowMs - first) / step < bucketCountMax - 1) ?? Math.ceil((nowMs - first) / bucketCountMax);
  const last = Math.floor(nowMs / stepMs);
  const start = Math.min(Math.floor(first / stepMs), last - bucketCountMin + 1);
  const counts = zeros(last - start + 1);
  for (const time of times)
    counts[Math.floor(time / stepMs) - start] = (counts[Math.floor(time / stepMs) - start] ?? 0) + 1;
  return { stepMs, buckets: counts.map((count, at) => ({ startMs: (start + at) * stepMs, count })) };
}

/** Returns the most frequent contacts, by descending count; each counts once per message. */
export function topContacts(lists: readonly (readonly Contact[])[], countMax: number): readonly Ranked[] {
  const counts = new Map<string, number>();
  for (const list of lists) {
    for (const name of new Set(list.map((contact) => addressOf(contact).toLowerCase()))) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return Array.from(counts, ([name, count]) => ({ name, count }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, countMax);
}

/** Counts values below each of the ascending bounds and not below the previous one; the last count is of all others. */
export function countByClass(values: readonly number[], bounds: readonly number[]): readonly number[] {
  const counts = zeros(bounds.length + 1);
  for (const value of values) {
    const at = bounds.findIndex((bound) => value < bound);
    const route = at === -1 ? bounds.length : at;
    counts[route] = (counts[route] ?? 0) + 1;
  }
  return counts;
}

/** Distribution of durations, in milliseconds. */
export interface Spread {
  readonly count: number;
  readonly median: number;
  /** 95th percentile. */
  readonly p95: number;
  readonly max: number;
}

/** Returns the distribution of durations by nearest rank; null for none. */
export function spreadOf(durations: readonly number[]): Spread | null {
  const sorted = durations.toSorted((one, other) => one - other);
  const rank = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  if (sorted.length === 0) return null;
  return { count: sorted.length, median: rank(0.5), p95: rank(0.95), max: rank(1) };
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0);
}
