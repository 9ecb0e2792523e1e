/** Hourly limit of outbound deliveries, which every store applies in the transaction that adds the entries. */
import { Problem, type ReachedLimit } from "../core/errors.ts";

/** Hourly limit that a caller of the store sets. */
export interface OutboundAllowance {
  /** Maximum number of queued entries within an hour, over all nodes and restarts. */
  readonly countMax: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Subject of the limit in errors; the service by default. */
  readonly owner?: string;
  /** Name of the limit in metrics; `outbound` by default. */
  readonly limit?: ReachedLimit;
}

/** State of the limit that a store keeps between calls; both members are 0 at first. */
export interface OutboundWindow {
  /** Start of the hour, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Number of entries in this hour. */
  readonly count: number;
}

const windowMs = 3_600_000;

/** Returns the window at an instant: a new one when its hour is over. */
export function currentWindow(window: OutboundWindow, now: number): OutboundWindow {
  return Math.abs(now - window.startedAt) >= windowMs ? { startedAt: now, count: 0 } : window;
}

/**
 * Returns the window after `count` more entries. An hour starts with its first entry; a clock that was set back by more than
 * an hour starts a new one. Throws `too_many_requests` with the seconds to wait when the limit would be exceeded.
 */
export function spendAllowance(
  window: OutboundWindow,
  { countMax, now, owner, limit = "outbound" }: OutboundAllowance,
  count: number,
): OutboundWindow {
  if (count === 0) return window;
  const { startedAt, count: taken } = currentWindow(window, now);
  if (taken + count <= countMax) return { startedAt, count: taken + count };
  const retryAfterSeconds = Math.max(1, Math.ceil((startedAt + windowMs - now) / 1000));
  const text = `${owner === undefined ? "At" : `${owner} is over its limit: at`} most ${String(countMax)} deliveries leave within an hour`;
  throw new Problem("too_many_requests", { text, retryAfterSeconds, limit });
}
