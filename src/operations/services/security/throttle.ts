import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { parseIpAddress } from "../../../core/ip-address.ts";

/** Counts wrong secrets per subject (an address, a server) within the running minute. */
export interface Throttle {
  /** Throws `too_many_requests` with the seconds to wait when the subject has failed too often. */
  check(subject: string): void;
  /** Counts a failure; `hash` names the secret that was wrong, where there is one. */
  recordFailure(subject: string, hash?: string): void;
  /** Remembers a secret (by its hash) as right for the subject: others' failures no longer keep it out. */
  recordSuccess(subject: string, hash: string): void;
  /** Whether the secret was right for the subject before. */
  hasSucceeded(subject: string, hash: string): boolean;
  /**
   * Whether a secret may be looked up although the subject has failed too often. No for one that was wrong within the
   * minute, and past {@link lookFactor} times as many others as may fail: each one that is allowed counts.
   */
  mayLook(subject: string, hash: string): boolean;
}

const windowMs = 60_000;
const subjectCountMax = 10_000;
/** A throttled subject may have so many times the usual number of different secrets looked up within a minute. */
export const lookFactor = 10;

interface Window {
  readonly startedAt: number;
  failures: number;
  looks: number;
  /** Hashes of wrong secrets, at most as many as may be looked up. */
  readonly wrong: Set<string>;
}

/**
 * Creates a throttle with a fixed window of one minute. It remembers at most 10,000 subjects; beyond that the oldest window
 * is forgotten first, so that a flood of addresses costs bounded memory.
 */
export function createThrottle(clock: Pick<Clock, "monotonicMs">, failureCountPerMinuteMax: number): Throttle {
  const windows = new Map<string, Window>();
  const successes = new Set<string>();
  const lookCountMax = failureCountPerMinuteMax * lookFactor;
  const current = (subject: string): Window | undefined => {
    const window = windows.get(subject);
    if (window === undefined || clock.monotonicMs() - window.startedAt < windowMs) return window;
    windows.delete(subject);
    return undefined;
  };
  const open = (subject: string): Window => {
    const known = current(subject);
    if (known !== undefined) return known;
    if (windows.size >= subjectCountMax) windows.delete(windows.keys().next().value ?? "");
    const window = { startedAt: clock.monotonicMs(), failures: 0, looks: 0, wrong: new Set<string>() };
    windows.set(subject, window);
    return window;
  };
  return {
    hasSucceeded: (subject, hash) => successes.has(`${subject} ${hash}`),
    recordSuccess(subject, hash) {
      if (successes.size >= subjectCountMax) successes.delete(successes.keys().next().value ?? "");
      successes.add(`${subject} ${hash}`);
    },
    check(subject) {
      const window = current(subject);
      if (window === undefined || window.failures < failureCountPerMinuteMax) return;
      const retryAfterSeconds = Math.max(1, Math.ceil((window.startedAt + windowMs - clock.monotonicMs()) / 1000));
      throw new Problem("too_many_requests", { retryAfterSeconds });
    },
    recordFailure(subject, hash) {
      const window = open(subject);
      window.failures += 1;
      if (hash !== undefined && window.wrong.size < lookCountMax) window.wrong.add(hash);
    },
    mayLook(subject, hash) {
      const window = open(subject);
      if (window.wrong.has(hash) || window.looks >= lookCountMax) return false;
      window.looks += 1;
      return true;
    },
  };
}

/** Returns what an address is counted as: IPv4 by itself, also within IPv6; IPv6 by its network of 64 bits (RFC 4291 §2.5.4). */
export function subjectOf(clientAddress: string): string {
  const bytes = parseIpAddress(clientAddress);
  if (bytes === undefined) return clientAddress;
  if (bytes.length === 4) return bytes.join(".");
  return `${Buffer.from(bytes.subarray(0, 8)).toString("hex")}/64`;
}

/** A secret that is to be judged. */
export interface Attempt {
  /** What failures are counted by; the first is the address. */
  readonly subjects: readonly [address: string, ...others: string[]];
  /** Names the secret; equal secrets have equal hashes. */
  readonly hash: string;
}

/**
 * Looks a secret up and counts it when it is wrong. A right one is let in also where others behind the same address were
 * wrong too often, except past {@link Throttle.mayLook}. Resolves with undefined for a wrong one; rejects with
 * `too_many_requests` for a wrong one after too many others, or one that may not be looked up.
 */
export async function judge<Found>(
  throttle: Throttle,
  { subjects, hash }: Attempt,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const [address] = subjects;
  const isKnown = throttle.hasSucceeded(address, hash);
  const refusals = subjects.flatMap((subject) => refusalOf(throttle, subject));
  const [refusal] = refusals;
  if (refusal !== undefined && !isKnown && !subjects.every((subject) => throttle.mayLook(subject, hash))) {
    throw refusal;
  }
  const found = await look();
  if (found !== undefined) {
    if (!isKnown) throttle.recordSuccess(address, hash);
    return found;
  }
  for (const subject of subjects) throttle.recordFailure(subject, hash);
  if (refusal !== undefined) throw refusal;
  return undefined;
}

function refusalOf(throttle: Throttle, subject: string): readonly Problem[] {
  try {
    throttle.check(subject);
    return [];
  } catch (error) {
    if (error instanceof Problem) return [error];
    throw error;
  }
}
