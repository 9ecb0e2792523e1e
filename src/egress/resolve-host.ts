/** DNS look-ups for requests to hosts that users name. */
import { lookup } from "node:dns/promises";
import type { RequestOptions } from "node:http";
import { FairQueue } from "../core/fair-queue.ts";

/**
 * Look-ups that run at the same time. Each occupies one of the four threads of libuv's pool until the resolver responds,
 * which a stranger's name server can delay: the others stay free.
 */
const lookups = new FairQueue({ runningCountMax: 2, waitingPerKeyCountMax: 50, waitingCountMax: 1000 });

/** Returns the addresses of a host by the resolver of the system. Rejects when there are none, or too many wait. */
export async function resolveHost(host: string, signal: AbortSignal): Promise<readonly string[]> {
  const found = await lookups.run(host, async () => lookup(host, { all: true }), signal);
  return found.map(({ address }) => address);
}

/** Settles as `work` does, or rejects with the signal's reason when it aborts before. */
export async function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Returns a `lookup` function that always yields the checked address, so that the host is not resolved a second time
 * (DNS rebinding).
 */
export function pinnedLookup(address: string): NonNullable<RequestOptions["lookup"]> {
  const family = address.includes(":") ? 6 : 4;
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}
