/** Screening of mail that arrives from the Internet: before its content by recipient, client and rate, then by its sender. */
import { domainToASCII } from "node:url";
import { isListed } from "../../authentication/block-lists.ts";
import type { Lookup } from "../../authentication/dns.ts";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/errors.ts";
import { greylistKey } from "../../core/fault-engine.ts";
import { isPublicAddress, holderNetworks, networkOf } from "../../core/ip-address.ts";
import type { Arrival, ScreenedRecipient, Screening, SenderVerdicts } from "../../core/smtp-session.ts";
import { createThrottle } from "../services/security/throttle.ts";
import type { ProviderObjectKey, ProviderObjectStore } from "../../store/provider-object-store.ts";
import type { Context } from "../context.ts";
import { dnsOf } from "../services/inspection/inspect-stored.ts";

/** Rules of screening. */
export interface ScreeningRules {
  /** Mail domain, in lower case; its subdomains are domains of this service too. */
  readonly domain: string;
  /** Zones of DNS block lists (RFC 5782). */
  readonly blockLists: readonly string[];
  /** Time for which a triple of client network, sender and recipient is deferred (RFC 6647); null: none is. */
  readonly greylistMs: number | null;
  /** Recipients that a network may name per minute. */
  readonly recipientCountPerNetworkPerMinuteMax: number;
}

/** Dependencies of {@link createScreening}. */
export interface ScreeningDependencies {
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  /** Looks up a record; called at most once a minute for a client and list. */
  readonly lookup: Lookup;
  /** Clients and triples that are remembered, {@link screenedCountMax} by default; the oldest ones are forgotten. */
  readonly countMax?: number;
  /** Ages of triples; those in the memory of this process by default. */
  readonly tripleAges?: TripleAges;
}

/** Records an attempt of a triple, by its key; returns the milliseconds since the first one, 0 for this one. */
export type TripleAges = (key: string) => Promise<number> | number;

/** Returns null for a recipient that may be resolved, else the reason against it. Rejects only as `tripleAges`. */
export type ScreenRecipient = (recipient: ScreenedRecipient) => Promise<Screening | null> | Screening | null;

/** Clients and triples that are remembered. */
const screenedCountMax = 20_000;
/** Time-out of the look-ups about one client; a list without an answer by then lists nobody. */
export const blockListMsMax = 4000;
/** Time for which the answer about a client is kept. */
const verdictMs = 15 * 60_000;
/** Time for which a list that did not answer is not asked about the same client again. */
const undecidedMs = 60_000;
/** Time after which a triple that never came back, or did not come back again, is forgotten (RFC 6647 §5). */
export const tripleMs: number = 36 * 24 * 3_600_000;

/**
 * Creates the screening of recipients. In order: networks that name too many recipients are deferred whatever the address, so that
 * they learn of none; addresses of other domains are denied, listed clients rejected, first attempts deferred. Clients outside of
 * the public Internet are neither looked up nor greylisted. Memory is bounded by `countMax`.
 */
export function createScreening(rules: ScreeningRules, dependencies: ScreeningDependencies): ScreenRecipient {
  const { clock } = dependencies;
  const rates = createThrottle(clock, rules.recipientCountPerNetworkPerMinuteMax);
  const listings = createListings(rules.blockLists, dependencies);
  const { tripleAges = createTriples(dependencies) } = dependencies;
  const greylist = (recipient: ScreenedRecipient): Promise<Screening | null> | Screening | null => {
    const { greylistMs } = rules;
    if (greylistMs === null) return null;
    const { clientAddress, mailFrom: sender, address } = recipient;
    const judge = (ageMs: number): Screening | null =>
      ageMs < greylistMs ? { kind: "greylisted", waitMs: Math.min(greylistMs, greylistMs - ageMs) } : null;
    const age = tripleAges(greylistKey({ clientAddress, sender, recipients: [{ address }] }));
    return typeof age === "number" ? judge(age) : age.then(judge);
  };
  return (recipient) => {
    if (isTooFast(rates, recipient.clientAddress)) return { kind: "too_many_recipients" };
    if (!isOwnDomain(recipient.address, rules.domain)) return { kind: "relay_denied" };
    if (!isPublicAddress(recipient.clientAddress)) return null;
    const listed = listings(recipient.clientAddress);
    if (listed === null) return greylist(recipient);
    return listed.then((list) => (list === null ? greylist(recipient) : { kind: "listed", list }));
  };
}

/** Returns the ages of triples in memory. */
function createTriples(dependencies: ScreeningDependencies): TripleAges {
  const triples = new RecentMap<number>(dependencies, tripleMs);
  return (key) => {
    const now = dependencies.clock.monotonicMs();
    const firstTriedAt = triples.get(key) ?? now;
    triples.set(key, firstTriedAt);
    return now - firstTriedAt;
  };
}

/** Returns whether an address is in the mail domain or below it; `postmaster` without a domain is (RFC 5321 §4.5.1). */
export function isOwnDomain(address: string, mailDomain: string): boolean {
  const at = address.lastIndexOf("@");
  if (at < 0) return address.toLowerCase() === "postmaster";
  const domain = domainToASCII(address.slice(at + 1)).replace(/\.$/, "");
  return domain === mailDomain || domain.endsWith(`.${mailDomain}`);
}

function isTooFast(rates: ReturnType<typeof createThrottle>, clientAddress: string): boolean {
  const network = networkOf(clientAddress, holderNetworks);
  try {
    rates.check(network);
  } catch (error) {
    if (error instanceof Problem) return true;
    throw error;
  }
  rates.recordFailure(network);
  return false;
}

/** Returns a function that returns the first list with a client; null without lists, or that resolves to null for none. */
function createListings(
  lists: readonly string[],
  dependencies: ScreeningDependencies,
): (clientAddress: string) => Promise<string | null> | null {
  if (lists.length === 0) return () => null;
  const { clock, lookup } = dependencies;
  const verdicts = new RecentMap<Promise<string | null>>(dependencies, verdictMs);
  const judge = async (
    clientAddress: string,
  ): Promise<{ readonly list: string | null; readonly isDecided: boolean }> => {
    const { promise: timeout, resolve } = Promise.withResolvers<"unknown">();
    const cancel = clock.after(blockListMsMax, () => resolve("unknown"));
    const answers = await Promise.all(
      lists.map((list) => Promise.race([isListed(list, clientAddress, lookup), timeout])),
    );
    cancel();
    const list = lists.find((_, position) => answers[position] === "listed") ?? null;
    return { list, isDecided: list !== null || !answers.includes("unknown") };
  };
  return (clientAddress) => {
    const known = verdicts.get(clientAddress);
    if (known !== undefined) return known;
    const verdict = judge(clientAddress).then(({ list, isDecided }) => {
      if (!isDecided) verdicts.set(clientAddress, Promise.resolve(list), undecidedMs);
      return list;
    });
    verdicts.set(clientAddress, verdict);
    return verdict;
  };
}

/** Values of the most recently set keys, each for a time. */
class RecentMap<Value> {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #lifeMs: number;
  readonly #countMax: number;
  readonly #entries = new Map<string, { readonly value: Value; readonly endsAt: number }>();

  constructor({ clock, countMax = screenedCountMax }: ScreeningDependencies, lifeMs: number) {
    this.#clock = clock;
    this.#countMax = countMax;
    this.#lifeMs = lifeMs;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.endsAt <= this.#clock.monotonicMs() ? undefined : entry.value;
  }

  /** Sets a value, and forgets the key that was set longest ago when there are too many. */
  set(key: string, value: Value, lifeMs = this.#lifeMs): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#countMax) this.#entries.delete(this.#entries.keys().next().value ?? "");
    this.#entries.set(key, { value, endsAt: this.#clock.monotonicMs() + lifeMs });
  }
}

/** Time for which a triple is kept that has not come back: longer than mail servers wait between attempts. */
const firstMs = 48 * 3_600_000;
/** Age of the last extension at which a triple that comes back is kept for {@link tripleMs} again. */
const extensionMs = 24 * 3_600_000;
/** Triples whose keys begin with the same two of 256 digits: a million in all, of which an insert counts few. */
const countMax = 4000;

const keyOf = (id: string): ProviderObjectKey => ({
  provider: "restante",
  server: null,
  kind: `greylist ${id.slice(0, 2)}`,
  id,
});

/**
 * Returns the ages of triples on all nodes, by their wall clocks: a read for each attempt, and a write for the first attempt of a
 * triple and for one on each day on which it comes back. Triples beyond the limit count as known. Rejects as the store.
 */
export function createSharedTriples(
  store: Pick<ProviderObjectStore, "getObject" | "putObject">,
  clock: Pick<Clock, "now">,
): TripleAges {
  return async (key) => {
    const now = clock.now();
    const known = await store.getObject(keyOf(key), now);
    if (known === undefined) return (await record(store, key, now)) ? 0 : Infinity;
    const { version, createdAt } = known;
    if ((known.expiresAt ?? Infinity) < now + tripleMs - extensionMs)
      await store.putObject({ ...keyOf(key), json: "null", version, now, expiresAt: now + tripleMs, countMax });
    return now - createdAt;
  };
}

/** Records a first attempt; false when there are too many. Another node may be faster, whose attempt is then the first. */
async function record(store: Pick<ProviderObjectStore, "putObject">, key: string, now: number): Promise<boolean> {
  try {
    await store.putObject({ ...keyOf(key), json: "null", version: 0, now, expiresAt: now + firstMs, countMax });
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === "limit_reached") return false;
    throw error;
  }
}

// Verdicts on the sender of a mail.

/** Time for all DNS queries about one mail; the client waits meanwhile. */
const dnsMsMax = 5000;

const unknown: SenderVerdicts = { spf: "unknown", dkim: "unknown", dmarc: "unknown" };

/**
 * Returns an arrival with the verdicts on its sender, by the zone of the first recipient's server or by DNS; as it is for clients
 * with AUTH, and where DNS is off. What cannot be judged in time is `unknown`: no mail is deferred for that.
 */
export async function judgeSender(context: Context, arrival: Arrival): Promise<Arrival> {
  const { session, mailFrom, raw, recipients } = arrival;
  const server = recipients[0]?.server;
  if (session.auth !== undefined || server === undefined) return arrival;
  const dns = await dnsOf(context, server);
  if (dns.kind === "off") return arrival;
  const origin = { clientAddress: session.clientAddress, ehlo: session.ehlo, mailFrom };
  const inspection = { kind: "verdicts", origin, dns, deadlineMs: dnsMsMax } as const;
  const verdicts = await context.inspector
    .inspect(async () => raw, inspection, { key: server })
    .catch((error: unknown) => {
      // Too many mails wait, or this one is too expensive; the task of the inspector reports failures.
      if (error instanceof Problem) return unknown;
      throw error;
    });
  return { ...arrival, session: { ...session, verdicts } };
}
