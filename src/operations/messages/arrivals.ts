/** Messages with which explanations of searches compare what was searched for. */
import type { Principal } from "../../core/api-key.ts";
import type { Criteria, Page } from "../../core/criteria.ts";
import { decodeMessageId, encodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Contact, Summary } from "../../core/message.ts";
import {
  explainedMessageCountMax,
  explainedMsBefore,
  explainedValue,
  explainedValueCountMax,
} from "../../core/search-explanation.ts";
import type { FailedCriterion, NearMiss, SearchExplanation } from "../../core/search-explanation.ts";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import type { SearchPage, SummaryPage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { summariesOf } from "../services/reading/summaries-of.ts";

/** A search that found too few messages. */
export interface UnmetSearch {
  readonly server: ServerId;
  /** Folded criteria; possibly none beside a query. */
  readonly criteria: Criteria;
  /** Criteria as the caller gave them. */
  readonly requested: Criteria;
  readonly page: Page;
  /** Messages that the search returned. */
  readonly found: SummaryPage;
  /** Instant at which the search started, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly waitedMs: number;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** The newest messages that arrived while a search waited, or shortly before. */
export interface Arrivals {
  readonly since: number;
  readonly until: number;
  readonly summaries: readonly Summary[];
  readonly hasMore: boolean;
  /** Page by which they were read. */
  readonly page: SearchPage;
  /** Returns the ids of those that match an expression. */
  readonly matching: (expression: SearchExpression) => Promise<ReadonlySet<string>>;
}

/** Reads the arrivals of a search, at most `explainedMessageCountMax`. */
export async function readArrivals(
  { store, clock }: Context,
  principal: Principal,
  { server, page: { direction, receivedAfter }, startedAt, signal }: UnmetSearch,
): Promise<Arrivals> {
  const until = clock.now();
  const since = Math.min(startedAt - explainedMsBefore, receivedAfter ?? Infinity);
  const bounds = { page: 0, itemsPerPage: explainedMessageCountMax, receivedAfter: since, afterSequence: null };
  const page: SearchPage = { ...bounds, direction, caller: principal.keyId, signal };
  const listed = await store.listMessages(server, page);
  const summaries = summariesOf(listed);
  const [newest] = summaries;
  const matching = async (expression: SearchExpression): Promise<ReadonlySet<string>> => {
    if (newest === undefined) return new Set();
    // Excludes messages that arrive meanwhile, which would take the places of others.
    const { identities } = await store.findMessages(server, expression, { ...page, before: nextId(newest.id) });
    return new Set(identities.map(({ id }) => id));
  };
  return { since, until, summaries, hasMore: listed.hasMore, page, matching };
}

/** Returns the explanation of a search by its arrivals and the nearest messages. */
export function explanationOf(
  { since, until, summaries, hasMore }: Arrivals,
  nearest: readonly NearMiss[],
  { waitedMs }: UnmetSearch,
): SearchExplanation {
  const explanation = {
    since: new Date(Math.max(0, since)).toISOString(),
    until: new Date(until).toISOString(),
    arrived: summaries.length,
    hasMore,
    nearest,
  };
  return { text: explanationText(explanation, waitedMs), ...explanation };
}

/** Returns a message as explanations show it. */
export function nearMissOf({ id, server, received, from, to, subject }: Summary, failed: NearMiss["failed"]): NearMiss {
  const { direction } = decodeMessageId(id);
  const contacts = { from: shownContacts(from), to: shownContacts(to) };
  return { id, server, direction, received, ...contacts, subject: explainedValue(subject), failed };
}

function nextId(id: MessageId): MessageId {
  const parts = decodeMessageId(id);
  return encodeMessageId({ ...parts, random: Math.min(parts.random + 1, 0xffffffff) });
}

/** Returns an explanation in a few lines, one for each message, for the output of a test. */
function explanationText(explanation: Omit<SearchExplanation, "text">, waitedMs: number): string {
  const { since, arrived, hasMore, nearest } = explanation;
  const count = `${hasMore ? "More than " : ""}${String(arrived)} ${arrived === 1 ? "message" : "messages"}`;
  const lines = [
    `The search did not find enough messages in ${String(Math.round(waitedMs))} ms. ${count} arrived since ${since}.`,
    ...nearest.map(messageLine),
  ];
  return lines.join("\n");
}

function messageLine({ received, from, to, subject, failed }: NearMiss): string {
  const head = `- ${received} from ${addresses(from)} to ${addresses(to)}, ${JSON.stringify(subject)}`;
  return `${head}: ${failed.map(failureText).join("; ")}`;
}

function failureText({ criterion, expected, actual, hint }: FailedCriterion): string {
  const value = actual.length === 0 ? "" : `, is ${actual.map((one) => JSON.stringify(one)).join(", ")}`;
  return `${criterion}: expected ${JSON.stringify(expected)}${value}${hint === null ? "" : ` (${hint})`}`;
}

function addresses(contacts: readonly Contact[]): string {
  const [first, ...others] = contacts.flatMap(({ email, phone }) => email ?? phone ?? []);
  if (first === undefined) return "(none)";
  return others.length === 0 ? first : `${first} and ${String(others.length)} more`;
}

/** Returns contacts as explanations show them: the first ones, shortened. */
function shownContacts(contacts: readonly Contact[]): readonly Contact[] {
  const shown = (value: string | null): string | null => (value === null ? null : explainedValue(value));
  return contacts
    .slice(0, explainedValueCountMax)
    .map(({ name, email, phone }) => ({ name: explainedValue(name), email: shown(email), phone: shown(phone) }));
}
