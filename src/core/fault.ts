/**
 * Faults: rules by which the service misbehaves on purpose, at the stages of SMTP sessions and in requests to the APIs of
 * providers. The API uses the same members.
 */
import type { ResolvedRecipient } from "./smtp-session.ts";
import type { ServerId } from "./ids.ts";
import { build, orNull, type ValueOf } from "./schema.ts";

/** Stages of an SMTP session, in their order, and `request`: a call of a provider's API that is authenticated and valid. */
export const faultStages = [
  "connect",
  "ehlo",
  "starttls",
  "auth",
  "mail",
  "rcpt",
  "data",
  "after-data",
  "request",
] as const;

/** Stage at which a rule applies. `data` is the command before the content, `after-data` the end of the content. */
export type FaultStage = (typeof faultStages)[number];

/** Errors of a provider's API that a rule can name; each provider has its own response for them. */
export const faultErrors = [
  "rateLimited",
  "unavailable",
  "internal",
  "unauthorized",
  "invalidRecipient",
  "tooLarge",
  "timeout",
] as const;

/** Error of a provider's API. */
export type FaultError = (typeof faultErrors)[number];

/** Failures of a TLS handshake: no TLS, an aborted handshake, or a certificate that is wrong in this way. */
export const faultTlsFailures = ["refuse", "handshake", "expired", "wrong-name", "untrusted"] as const;

/** Failure of a TLS handshake. */
export type FaultTlsFailure = (typeof faultTlsFailures)[number];

/** Occurrences that a rule applies to: those that agree with every member. */
export interface FaultMatch {
  readonly stage: FaultStage | readonly FaultStage[];
  /** Pattern of the envelope sender: an address in which `*` stands for any characters. */
  readonly sender?: string;
  /** Pattern of one of the recipients: an address as for the sender, or a phone number in E.164. */
  readonly recipient?: string;
  /** Address or network of the client. */
  readonly clientAddress?: string;
  /** Name of a provider. */
  readonly provider?: string;
  /** User name of AUTH, without regard to letter case. */
  readonly userName?: string;
}

/** Occurrences, of those that match, for which a rule triggers; exactly one member, besides `seed`. */
export interface FaultTrigger {
  /** The first ones. */
  readonly first?: number;
  /** All but the first ones. */
  readonly after?: number;
  /** Every nth: 3 is the third, the sixth and so on. */
  readonly every?: number;
  /** Those above a number in a window, which starts with the first occurrence after the end of the last one. */
  readonly above?: { readonly count: number; readonly perMs: number };
  /** Share from 0 to 1; which ones is determined by the seed, the name of the rule and the number of the occurrence. */
  readonly probability?: number;
  /** 0 by default. */
  readonly seed?: number;
}

/** SMTP reply of a rule; 421 closes the connection (RFC 5321 §3.8). */
export interface FaultReply {
  /** 400 to 599. */
  readonly code: number;
  /** Enhanced status (RFC 3463) of the same class as the code. */
  readonly enhanced?: string;
  readonly text?: string;
}

/**
 * Effect of a rule: at most one of `reply`, `error`, `drop`, `loseReply`, `tls` and `greylist`, and any of the others.
 */
export interface FaultOutcome {
  /** Stages of SMTP. */
  readonly reply?: FaultReply;
  /** Stage `request`: response of the provider to a named error, or to one with this HTTP status. */
  readonly error?: FaultError | { readonly status: number };
  /** Closes the connection without a reply; nothing is stored. */
  readonly drop?: true;
  /** Stores the mail as usual and closes the connection without a reply. */
  readonly loseReply?: true;
  readonly tls?: FaultTlsFailure;
  /** Defers a triple of client network, sender and recipient until this time after its first attempt. */
  readonly greylist?: { readonly delayMs: number };
  /** Time before the reply in milliseconds. */
  readonly delayMs?: number;
  /** Bytes per second. */
  readonly throttle?: number;
  /** Time between the reply and the instant at which the mail becomes visible. */
  readonly deliverAfterMs?: number;
}

/** Conditions of which the first one that is met ends a rule. */
export interface FaultEnd {
  /** ISO 8601. */
  readonly time?: string;
  /** Milliseconds after the rule was stored. */
  readonly afterMs?: number;
  /** Number of hits. */
  readonly hits?: number;
}

/** Rule of a server or of the service. */
export interface FaultRule {
  /** Unique in its list. */
  readonly name: string;
  readonly match: FaultMatch;
  /** Absent: every occurrence. */
  readonly when?: FaultTrigger;
  readonly then: FaultOutcome;
  readonly until?: FaultEnd;
  /** Whether the rule applies to nothing and counts nothing; false when absent. `until` ends it nevertheless. */
  readonly paused?: boolean;
}

// Stages at which members of fault rules make sense.

const smtp = faultStages.filter((stage) => stage !== "request");
const withSender: readonly FaultStage[] = ["mail", "rcpt", "data", "after-data", "request"];
const withRecipient: readonly FaultStage[] = ["rcpt", "data", "after-data", "request"];

/** Stages at which the value that a member of `match` compares is known. */
export const stagesOfMatch: Readonly<Record<Exclude<keyof FaultMatch, "stage">, readonly FaultStage[]>> = {
  sender: withSender,
  recipient: withRecipient,
  clientAddress: faultStages,
  provider: ["request"],
  userName: ["auth", "mail", "rcpt", "data", "after-data"],
};

/** Stages at which a member of `then` can take effect. */
export const stagesOfOutcome: Readonly<Record<keyof FaultOutcome, readonly FaultStage[]>> = {
  reply: smtp,
  error: ["request"],
  drop: faultStages,
  loseReply: ["after-data", "request"],
  tls: ["connect", "starttls"],
  greylist: ["rcpt"],
  delayMs: faultStages,
  throttle: ["data", "request"],
  deliverAfterMs: withRecipient,
};

/** Effects of outcomes, the main one of several first. */
export const faultActions = [
  "drop",
  "lose-reply",
  "tls",
  "greylist",
  "reply",
  "error",
  "deliver-later",
  "throttle",
  "delay",
] as const;

/** Main effect of an outcome, in the log, in metrics and in metadata. */
export type FaultAction = (typeof faultActions)[number];

/** Event at a stage, to which rules may apply. */
export interface FaultOccurrence {
  readonly stage: FaultStage;
  readonly clientAddress: string;
  /** Server of the credentials; in stage `auth` that of the user name as presented; null when it is not known. */
  readonly server: ServerId | null;
  /** Envelope sender, "" for the null reverse-path; null before it is known. */
  readonly sender: string | null;
  /**
   * `rcpt`: the one recipient; later all accepted ones. Addresses or phone numbers, with their servers. None for a request
   * that sends nothing.
   */
  readonly recipients: readonly ResolvedRecipient[];
  /** Null for SMTP. */
  readonly provider: string | null;
  /** User name of AUTH as presented; null without one. */
  readonly userName: string | null;
  /** Whether a TLS handshake takes place at this stage; rules with `tls` apply to no other. False by default. */
  readonly isTlsHandshake?: boolean;
}

/** Rule that applied to an occurrence, as the metadata of messages shows it. */
export interface FaultHit {
  /** Server of the rule; null for one of the service. */
  readonly server: ServerId | null;
  readonly rule: string;
  readonly stage: FaultStage;
  readonly action: FaultAction;
}

/** Late delivery of a mail to one server. */
export interface LateDelivery {
  readonly server: ServerId;
  readonly deliverAfterMs: number;
}

/** Faults of one occurrence. */
export interface FaultDecision {
  /**
   * Outcome of the rule that won; one with `greylist` has the reply. Null when only {@link late} applies, to some servers
   * of a mail for several.
   */
  readonly then: FaultOutcome | null;
  /** Servers to which the mail is delivered later; contains `then.deliverAfterMs`. */
  readonly late: readonly LateDelivery[];
  /** Rules that applied: the one that won, and those of {@link late}. */
  readonly hits: readonly FaultHit[];
}

/** Schema of a hit as lists of rules show it. */
export const faultHitSchema = build.object({
  received: build.string({ format: "date-time", description: "Instant, UTC, with milliseconds." }),
  stage: build.enum(faultStages, "Stage at which the rule applied."),
  clientAddress: build.string("Address of the client."),
  sender: orNull(build.string("Envelope sender; null before MAIL.")),
  recipient: orNull(build.string("Recipient that matched; null before RCPT.")),
  provider: orNull(build.string("Name of the provider; null for SMTP.")),
  action: build.enum(faultActions, "Main effect."),
});

/** Hit as lists of rules show it. */
export type FaultHitRecord = ValueOf<typeof faultHitSchema>;

/** Counts of a rule. */
export interface FaultState {
  /** Instant at which the rule was stored, in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Occurrences that matched. */
  readonly seen: number;
  /** Occurrences to which the rule applied. */
  readonly hits: number;
  /** Occurrences that matched, but concerned further servers, which the rule must not affect. */
  readonly skipped: number;
  /** Window of `above`. */
  readonly window: { readonly startedAt: number; readonly count: number } | null;
}

/** Returns a rule without further members, such as its counts. */
export function ruleOf({ name, match, when, then, until, paused }: FaultRule): FaultRule {
  return { name, match, ...(when && { when }), then, ...(until && { until }), ...(paused === true && { paused }) };
}

/** Returns the stages of a rule. */
export function stagesOf({ match: { stage } }: Pick<FaultRule, "match">): readonly FaultStage[] {
  return typeof stage === "string" ? [stage] : stage;
}

/** Returns the state of a rule that is stored now. */
export function newFaultState(now: number): FaultState {
  return { createdAt: now, seen: 0, hits: 0, skipped: 0, window: null };
}

/** Returns the main effect of an outcome. */
export function actionOf(then: FaultOutcome): FaultAction {
  if (then.drop !== undefined) return "drop";
  if (then.loseReply !== undefined) return "lose-reply";
  if (then.tls !== undefined) return "tls";
  if (then.greylist !== undefined) return "greylist";
  if (then.reply !== undefined) return "reply";
  if (then.error !== undefined) return "error";
  if (then.deliverAfterMs !== undefined) return "deliver-later";
  return then.throttle === undefined ? "delay" : "throttle";
}

/** Whether a rule has ended. */
export function isFaultEnded(
  { until }: Pick<FaultRule, "until">,
  { createdAt, hits }: FaultState,
  now: number,
): boolean {
  if (until === undefined) return false;
  const { time, afterMs, hits: hitCountMax } = until;
  return (
    (time !== undefined && now >= Date.parse(time)) ||
    (afterMs !== undefined && now >= createdAt + afterMs) ||
    (hitCountMax !== undefined && hits >= hitCountMax)
  );
}

/** Whether a rule is neither paused nor ended. */
export function isFaultActive(rule: Pick<FaultRule, "until" | "paused">, state: FaultState, now: number): boolean {
  return rule.paused !== true && !isFaultEnded(rule, state, now);
}
