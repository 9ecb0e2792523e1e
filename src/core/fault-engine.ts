/** Comparison of an occurrence with the rules of faults, and the decision which apply: a pure function of the rules, their states and the time. */
import { createHash } from "node:crypto";
import {
  actionOf,
  isFaultActive,
  type FaultDecision,
  type FaultHit,
  type FaultHitRecord,
  type FaultOccurrence,
  type FaultOutcome,
  type FaultRule,
  type FaultState,
  type FaultTrigger,
  stagesOf,
  type FaultMatch,
  type FaultStage,
} from "./fault.ts";
import type { ServerId } from "./ids.ts";
import { greylistText } from "./smtp-session.ts";
import { matchesPattern } from "./mail-addresses.ts";
import { parseIpAddress, inNetworks, networkOf } from "./ip-address.ts";

/** Stages before RCPT, at which the server is known only by its credentials. */
const sessionStages: ReadonlySet<FaultStage> = new Set(["connect", "ehlo", "starttls", "auth", "mail"]);
/** Network of a client in a triple of greylisting. */
const greylistNetworks = { ipv4: 24, ipv6: 64 } as const;

/** Whether a stage is before RCPT. */
export function isSessionStage(stage: FaultStage): boolean {
  return sessionStages.has(stage);
}

/** Returns the servers that an occurrence concerns: those of its recipients, else that of its credentials. */
export function serversOf({ recipients, server }: Pick<FaultOccurrence, "recipients" | "server">): readonly ServerId[] {
  if (recipients.length > 0) return [...new Set(recipients.map((one) => one.server))];
  return server === null ? [] : [server];
}

/**
 * Returns whether a rule of a server, or of the service (null), matches an occurrence, and the recipient that did. Only
 * recipients of the server count. A rule of a server that the occurrence does not concern matches before RCPT, when it
 * names the address of the client and no network. Late delivery does not match a request that sends nothing.
 */
function matchFault(
  rule: FaultRule,
  server: ServerId | null,
  occurrence: FaultOccurrence,
): { readonly recipient: string | null } | null {
  if (!stagesOf(rule).includes(occurrence.stage) || !concerns(rule, server, occurrence)) return null;
  if (!hasEffect(rule, occurrence) || !matchesSession(rule.match, occurrence)) return null;
  const { recipient } = rule.match;
  const own = occurrence.recipients.filter((one) => server === null || one.server === server);
  const found = own.find((one) => recipient === undefined || matchesPattern(recipient, one.address));
  return recipient !== undefined && found === undefined ? null : { recipient: found?.address ?? null };
}

/** Returns whether the effect of a rule is possible: TLS needs a handshake, and late delivery something that is stored. */
function hasEffect({ then }: FaultRule, { stage, recipients, isTlsHandshake }: FaultOccurrence): boolean {
  if (then.tls !== undefined && isTlsHandshake !== true) return false;
  return then.deliverAfterMs === undefined || stage !== "request" || recipients.length > 0;
}

/** Compares everything but stage and recipients. */
function matchesSession(match: FaultMatch, occurrence: FaultOccurrence): boolean {
  const { sender, clientAddress, provider, userName } = match;
  return (
    (sender === undefined || (occurrence.sender !== null && matchesPattern(sender, occurrence.sender))) &&
    (clientAddress === undefined || isInNetwork(clientAddress, occurrence.clientAddress)) &&
    (provider === undefined || provider === occurrence.provider) &&
    (userName === undefined || userName.toLowerCase() === occurrence.userName?.toLowerCase())
  );
}

function concerns({ match }: FaultRule, server: ServerId | null, occurrence: FaultOccurrence): boolean {
  if (server === null || serversOf(occurrence).includes(server)) return true;
  return isSessionStage(occurrence.stage) && match.clientAddress !== undefined && !match.clientAddress.includes("/");
}

function isInNetwork(network: string, address: string): boolean {
  const bytes = parseIpAddress(address);
  if (bytes === undefined) return false;
  return inNetworks([network])(bytes.length === 4 ? bytes.join(".") : address);
}

/** Returns the key of the triple of client network (/24, /64), sender and recipient. */
export function greylistKey({
  clientAddress,
  sender,
  recipients,
}: Pick<FaultOccurrence, "clientAddress" | "sender"> & {
  readonly recipients: readonly { readonly address: string }[];
}): string {
  const network = networkOf(clientAddress, greylistNetworks);
  const triple = [network, sender?.toLowerCase() ?? null, recipients[0]?.address.toLowerCase() ?? null];
  return createHash("sha256").update(JSON.stringify(triple)).digest("hex").slice(0, 32);
}

/** Length at which addresses in lists of hits are cut. */
const addressLengthMax = 320;

/** Rule with its state. */
export interface FaultCandidate {
  /** Null for a rule of the service. */
  readonly server: ServerId | null;
  readonly rule: FaultRule;
  readonly state: FaultState;
  /**
   * Instant of the first attempt of the occurrence's triple (see `greylistKey`) at this rule; null before it, and for rules
   * without greylisting.
   */
  readonly firstTriedAt: number | null;
}

/** Change of a candidate. */
export interface FaultChange<Candidate extends FaultCandidate> {
  readonly candidate: Candidate;
  readonly state: FaultState;
  /** Null unless the rule applied. */
  readonly hit: FaultHitRecord | null;
  /** Whether `now` is the first attempt of the triple. */
  readonly isFirstTry: boolean;
}

/** Decision, and the states that it changed. */
export interface FaultJudgement<Candidate extends FaultCandidate> {
  readonly decision: FaultDecision | null;
  readonly changes: readonly FaultChange<Candidate>[];
}

/**
 * Decides which rules apply to an occurrence. Candidates are in their order: the rules of servers before those of the
 * service. An occurrence counts at each rule that matches and is neither paused nor ended; the first one that triggers wins. When mail
 * concerns several servers, the rules of one do not apply, except late delivery, which affects its copy only.
 */
export function decideFault<Candidate extends FaultCandidate>(
  candidates: readonly Candidate[],
  occurrence: FaultOccurrence,
  now: number,
): FaultJudgement<Candidate> {
  const servers = serversOf(occurrence);
  const isMixed = servers.length > 1 && !isSessionStage(occurrence.stage);
  const changes: FaultChange<Candidate>[] = [];
  const outcome: Outcome = { then: null, late: new Map(), hits: [] };
  for (const candidate of candidates) {
    const { server, rule } = candidate;
    const matched = matchFault(rule, server, occurrence);
    if (matched === null || !isFaultActive(rule, candidate.state, now)) continue;
    const isForeign = isMixed && server !== null;
    if (isForeign && !isOnlyLate(rule.then)) {
      changes.push(skipped(candidate));
      continue;
    }
    const isFree = isForeign ? !outcome.late.has(server) : outcome.then === null;
    const counted = count(candidate, { occurrence, recipient: matched.recipient, isFree, now });
    changes.push({ candidate, ...counted });
    if (counted.hit === null) continue;
    outcome.hits.push({ server, rule: rule.name, stage: occurrence.stage, action: counted.hit.action });
    if (!isForeign) outcome.then = withReply(candidate, now);
    postpone(outcome.late, isForeign ? [server] : servers, rule.then);
  }
  return { decision: toDecision(outcome), changes };
}

/** Decision so far. */
interface Outcome {
  then: FaultOutcome | null;
  readonly late: Map<ServerId, number>;
  readonly hits: FaultHit[];
}

function toDecision({ then, late, hits }: Outcome): FaultDecision | null {
  if (hits.length === 0) return null;
  return { then, late: [...late].map(([server, deliverAfterMs]) => ({ server, deliverAfterMs })), hits };
}

function skipped<Candidate extends FaultCandidate>(candidate: Candidate): FaultChange<Candidate> {
  const { state } = candidate;
  return { candidate, state: { ...state, skipped: state.skipped + 1 }, hit: null, isFirstTry: false };
}

interface Counting {
  readonly occurrence: FaultOccurrence;
  readonly recipient: string | null;
  /** Whether no earlier rule has won. */
  readonly isFree: boolean;
  readonly now: number;
}

function count(
  { rule, state, firstTriedAt }: FaultCandidate,
  { occurrence, recipient, isFree, now }: Counting,
): Omit<FaultChange<FaultCandidate>, "candidate"> {
  const seen = state.seen + 1;
  const window = nextWindow(rule.when, state.window, now);
  const counted = { ...state, seen, window };
  const isHit = isFree && isTriggered(rule, seen, window?.count ?? 0) && !hasPassed(rule.then, firstTriedAt, now);
  if (!isHit) return { state: counted, hit: null, isFirstTry: false };
  const hit = recordOf(occurrence, { recipient, action: actionOf(rule.then), now });
  const isFirstTry = rule.then.greylist !== undefined && firstTriedAt === null;
  return { state: { ...counted, hits: state.hits + 1 }, hit, isFirstTry };
}

function recordOf(
  { stage, clientAddress, sender, provider }: FaultOccurrence,
  { recipient, action, now }: Pick<FaultHitRecord, "recipient" | "action"> & { readonly now: number },
): FaultHitRecord {
  return {
    received: new Date(now).toISOString(),
    stage,
    clientAddress,
    sender: sender?.slice(0, addressLengthMax) ?? null,
    recipient: recipient?.slice(0, addressLengthMax) ?? null,
    provider,
    action,
  };
}

/** Whether a triple is no longer deferred. */
function hasPassed({ greylist }: FaultOutcome, firstTriedAt: number | null, now: number): boolean {
  return greylist !== undefined && firstTriedAt !== null && now - firstTriedAt >= greylist.delayMs;
}

function nextWindow(when: FaultTrigger | undefined, window: FaultState["window"], now: number): FaultState["window"] {
  if (when?.above === undefined) return null;
  const isOver = window === null || now < window.startedAt || now >= window.startedAt + when.above.perMs;
  return isOver ? { startedAt: now, count: 1 } : { ...window, count: window.count + 1 };
}

function isTriggered({ name, when }: FaultRule, seen: number, windowCount: number): boolean {
  if (when === undefined) return true;
  const { first, after, every, above, probability, seed = 0 } = when;
  if (first !== undefined) return seen <= first;
  if (after !== undefined) return seen > after;
  if (every !== undefined) return seen % every === 0;
  if (above !== undefined) return windowCount > above.count;
  return probability === undefined || share(seed, name, seen) < probability;
}

/** Returns a number from 0 to below 1 that is determined by its arguments. */
function share(seed: number, name: string, seen: number): number {
  const digest = createHash("sha256")
    .update(JSON.stringify([seed, name, seen]))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

function isOnlyLate(then: FaultOutcome): boolean {
  return then.deliverAfterMs !== undefined && Object.keys(then).length === 1;
}

function postpone(late: Map<ServerId, number>, servers: readonly ServerId[], { deliverAfterMs }: FaultOutcome): void {
  if (deliverAfterMs === undefined) return;
  for (const server of servers) if (!late.has(server)) late.set(server, deliverAfterMs);
}

/** Adds the reply of greylisting. */
function withReply({ rule: { then }, firstTriedAt }: FaultCandidate, now: number): FaultOutcome {
  if (then.greylist === undefined) return then;
  const text = greylistText((firstTriedAt ?? now) + then.greylist.delayMs - now);
  return { ...then, reply: { code: 451, enhanced: "4.7.1", text } };
}
