import type { Principal } from "../../core/api-key.ts";
import { type Criteria, type Page, givenCriteria } from "../../core/criteria.ts";
import { criteriaExpression, anyText } from "../../core/search/build-expression.ts";
import { type QueryConjunct, similarOperator } from "../../core/search/parse-query.ts";
import {
  type FailedCriterion,
  type NearMiss,
  type SearchExplanation,
  explainedMessageCountMax,
  explainedMsBefore,
  explainedValue,
  explainedValueCountMax,
  nearestMessageCountMax,
} from "../../core/search-explanation.ts";
import type { Context } from "../context.ts";
import type { SearchQuery } from "../services/search/read-search.ts";
import { type MessageId, type ServerId, decodeMessageId, encodeMessageId } from "../../core/ids.ts";
import type { Contact, Summary } from "../../core/message.ts";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import type { SearchPage, SummaryPage } from "../../store/store.ts";
import { summariesOf } from "../services/reading/stored-detail.ts";

/**
 * Explains why a search with a query found too little: compares the newest messages that arrived while it waited, or shortly
 * before, with each of its parts. Reads at most `explainedMessageCountMax` ids for each.
 */
export async function explainQuery(
  context: Context,
  principal: Principal,
  search: UnmetSearch & { readonly query: SearchQuery },
): Promise<SearchExplanation> {
  const arrivals = await readArrivals(context, principal, search);
  const failed = new Map<string, FailedCriterion[]>();
  for (const part of arrivals.summaries.length === 0 ? [] : partsOf(search)) {
    const matching = await arrivals.matching(part.expression);
    const failure = failedPart(part);
    for (const { id } of arrivals.summaries) {
      if (!matching.has(id)) failed.set(id, [...(failed.get(id) ?? []), failure]);
    }
  }
  const nearest = arrivals.summaries
    .flatMap((summary) => {
      const parts = failed.get(summary.id);
      return parts === undefined ? [] : [{ summary, parts }];
    })
    .toSorted((one, other) => one.parts.length - other.parts.length)
    .slice(0, nearestMessageCountMax)
    .map(({ summary, parts }) => nearMissOf(summary, parts));
  return explanationOf(arrivals, nearest, search);
}

/** Returns the criteria as one part, if there are any, and the parts of the query. */
function partsOf({ criteria, query }: UnmetSearch & { readonly query: SearchQuery }): readonly QueryConjunct[] {
  if (givenCriteria(criteria).length === 0) return query.conjuncts;
  return [{ text: "criteria", expression: criteriaExpression(criteria) }, ...query.conjuncts];
}

function failedPart({ text, expression }: QueryConjunct): FailedCriterion {
  const similar = similarOperator(text);
  const isText = JSON.stringify(expression) === JSON.stringify(anyText(text));
  const hint = isText && similar !== undefined ? `searched as text; did you mean ${similar}:?` : null;
  return { criterion: "q", expected: explainedValue(text), actual: [], hint };
}

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
