import { isIPv4 } from "node:net";
import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import type { ServerId } from "../../../core/ids.ts";
import { parseIpAddress } from "../../../core/ip-address.ts";
import type { NodeStore } from "../../../store/node-store.ts";

/** Counter of wrong secrets per subject (an address, a server) and minute. */
export interface Throttle {
  /** Throws `too_many_requests` with the seconds to wait when the subject has failed too often. */
  check(subject: string): void;
  /** Counts a failure; `hash` identifies the wrong secret, if there is one. */
  recordFailure(subject: string, hash?: string): void;
  /** Records a secret (by its hash) as correct for the subject, so that failures of others do not block it. */
  recordSuccess(subject: string, hash: string): void;
  /** Returns whether the secret was correct for the subject before. */
  hasSucceeded(subject: string, hash: string): boolean;
  /**
   * Returns whether a secret may be looked up although the subject has failed too often: not one that was wrong within the
   * minute, and at most {@link lookFactor} times the allowed number of failures. Each allowed lookup counts.
   */
  mayLook(subject: string, hash: string): boolean;
}

const windowMs = 60_000;
const subjectCountMax = 10_000;
/** Factor of the allowed failures that a throttled subject may look up within a minute. */
export const lookFactor = 10;

interface Window {
  readonly startedAt: number;
  failures: number;
  looks: number;
  /** Hashes of wrong secrets, limited by the allowed lookups. */
  readonly wrong: Set<string>;
}

/**
 * Creates a throttle with a fixed window of one minute. It tracks at most 10,000 subjects and evicts the oldest window
 * first, so that memory is bounded under a flood of addresses.
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

/** Returns the throttling subject of an address: IPv4 itself, also if mapped to IPv6; the /64 network of IPv6 (RFC 4291 §2.5.4). */
export function subjectOf(clientAddress: string): string {
  // Each authenticated request asks, most of them from IPv4.
  if (isIPv4(clientAddress)) return clientAddress;
  const bytes = parseIpAddress(clientAddress);
  if (bytes === undefined) return clientAddress;
  if (bytes.length === 4) return bytes.join(".");
  return `${Buffer.from(bytes.subarray(0, 8)).toString("hex")}/64`;
}

/** Returns the subjects of a secret that a client presents, and of the server that it names, if it names one. */
export function subjectsOf(clientAddress: string, server: ServerId | undefined): Attempt["subjects"] {
  const address = subjectOf(clientAddress);
  return server === undefined ? [address] : [address, `server ${server}`];
}

/** Secret to check. */
interface Attempt {
  /** Subjects of the count; the first is the address. */
  readonly subjects: readonly [address: string, ...others: string[]];
  /** Hash of the secret; equal secrets have equal hashes. */
  readonly hash: string;
}

/**
 * Looks up a secret and counts it when it is wrong. A correct one is accepted even if others at the same address have failed
 * too often, except past {@link Throttle.mayLook}. Resolves with undefined for a wrong one; rejects with
 * `too_many_requests` for a wrong one after too many others, or one that may not be looked up.
 */
export async function judge<Found>(
  throttle: Throttle,
  { subjects, hash }: Attempt,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const [address] = subjects;
  const isKnown = throttle.hasSucceeded(address, hash);
  const refusal = refusalOf(throttle, subjects);
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

/** Returns the error of the first subject that has failed too often; undefined when there is none. */
function refusalOf(throttle: Throttle, subjects: readonly string[]): Problem | undefined {
  try {
    for (const subject of subjects) throttle.check(subject);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Returns a throttle that also counts failures on other nodes, and notifies them of its own. */
export function shareThrottle(throttle: Throttle, nodes: Pick<NodeStore, "notify" | "onNotification">): Throttle {
  nodes.onNotification((word) => {
    if (word.kind === "wrong_secret") throttle.recordFailure(word.address);
  });
  return {
    ...throttle,
    recordFailure(subject, hash) {
      throttle.recordFailure(subject, hash);
      nodes.notify({ kind: "wrong_secret", address: subject });
    },
  };
}
