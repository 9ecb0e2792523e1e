/** How much may leave within an hour: the rule that every store applies, in the transaction that adds the entries. */
import { Problem } from "../core/errors.ts";

/** What may leave, as the caller of a store says it. */
export interface OutboundAllowance {
  /** Queued entries that an hour takes at most, over all nodes and all starts. */
  readonly countMax: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What a store keeps between calls; nothing has left yet where both are 0. */
export interface OutboundWindow {
  /** When the hour began, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Entries that it took. */
  readonly count: number;
}

const windowMs = 3_600_000;

/**
 * The window after `count` more entries. An hour begins with its first entry; a clock that was set back by more than an
 * hour begins a new one. Throws `too_many_requests` with the seconds to wait where they are more than the hour still takes.
 */
export function spendAllowance(
  window: OutboundWindow,
  { countMax, now }: OutboundAllowance,
  count: number,
): OutboundWindow {
  if (count === 0) return window;
  const isOver = Math.abs(now - window.startedAt) >= windowMs;
  const { startedAt, count: taken } = isOver ? { startedAt: now, count: 0 } : window;
  if (taken + count <= countMax) return { startedAt, count: taken + count };
  const retryAfterSeconds = Math.max(1, Math.ceil((startedAt + windowMs - now) / 1000));
  const text = `At most ${String(countMax)} deliveries leave within an hour`;
  throw new Problem("too_many_requests", { text, retryAfterSeconds });
}
