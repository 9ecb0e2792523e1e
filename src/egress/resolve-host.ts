/** DNS look-ups for requests to hosts that users name, checks of the addresses, and connections that are pinned to them. */
import { lookup } from "node:dns/promises";
import type { RequestOptions } from "node:http";
import { isIP } from "node:net";
import type { Clock } from "../core/clock.ts";
import { FairQueue } from "../core/fair-queue.ts";
import type { TargetPolicy } from "../core/outgoing-target.ts";
import { requestFailure } from "./delivery-failure.ts";

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

/** Dependencies of {@link CheckedAddresses}. */
export interface AddressDependencies {
  readonly policy: TargetPolicy;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Returns the addresses of a host; {@link resolveHost} by default. */
  readonly resolve?: typeof resolveHost;
}

/** Time for which addresses are used without resolving the host again. */
const freshMs = 30_000;
/** Time for which addresses are used while the host is resolved again, so that a slow name server delays no request. */
const staleMsMax = 5 * 60_000;
const hostCountMax = 1000;
/** Bounds a look-up that no request waits for any more. */
const lookupMsMax = 30_000;

interface Resolved {
  readonly addresses: readonly string[];
  readonly at: number;
}

/**
 * Resolver of receivers. The policy checks every address of a host for every request; addresses are remembered for a short
 * time, since look-ups of all hosts share a few threads.
 */
export class CheckedAddresses {
  readonly #dependencies: AddressDependencies;
  readonly #resolved = new Map<string, Resolved>();
  readonly #running = new Map<string, Promise<readonly string[]>>();

  constructor(dependencies: AddressDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns an address of the URL's host to connect to. Rejects with `DeliveryFailure`: permanent where the policy
   * refuses one of its addresses, temporary when the host does not resolve before the signal aborts.
   */
  async find(url: URL, signal: AbortSignal): Promise<string> {
    return checkedAddress(url, this.#dependencies.policy, this.#addressesOf(hostOf(url), signal));
  }

  async #addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    const known = this.#resolved.get(host);
    const ageMs = known === undefined ? Infinity : this.#dependencies.clock.monotonicMs() - known.at;
    if (known !== undefined && ageMs < freshMs) return known.addresses;
    const lookup = this.#lookup(host);
    if (known === undefined || ageMs >= staleMsMax) return untilAborted(signal, lookup);
    // The request after the look-up reports its failure.
    lookup.catch(() => undefined);
    return known.addresses;
  }

  /** Resolves a host once for all requests that ask at the same time. */
  #lookup(host: string): Promise<readonly string[]> {
    const running = this.#running.get(host);
    if (running !== undefined) return running;
    const started = this.#resolve(host).finally(() => this.#running.delete(host));
    this.#running.set(host, started);
    return started;
  }

  async #resolve(host: string): Promise<readonly string[]> {
    const { resolve = resolveHost, clock } = this.#dependencies;
    const addresses = await resolve(host, AbortSignal.timeout(lookupMsMax));
    this.#resolved.delete(host);
    this.#resolved.set(host, { addresses, at: clock.monotonicMs() });
    const [oldest] = this.#resolved.keys();
    if (oldest !== undefined && this.#resolved.size > hostCountMax) this.#resolved.delete(oldest);
    return addresses;
  }
}

/** Returns the name or address of a URL's host, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Returns the address of a URL's host to connect to, once the policy has checked all that were looked up. Rejects as {@link CheckedAddresses.find}. */
export async function checkedAddress(
  url: URL,
  policy: TargetPolicy,
  lookup: Promise<readonly string[]>,
): Promise<string> {
  const unresolved = "The target's host name does not resolve";
  const addresses = await lookup.catch((error: unknown) => {
    throw requestFailure(unresolved, false, error);
  });
  for (const address of addresses) {
    const refusal = policy.refuseAddress(url.href, address);
    if (refusal !== null) throw requestFailure(refusal, true);
  }
  const [first] = addresses;
  if (first === undefined) throw requestFailure(unresolved, false);
  return first;
}
