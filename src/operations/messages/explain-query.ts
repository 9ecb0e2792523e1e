import type { Principal } from "../../core/api-key.ts";
import { decodeMessageId, encodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Contact, Summary } from "../../core/message.ts";
import {
  explainedMessageCountMax,
  explainedMsBefore,
  explainedValue,
  type FailedCriterion,
  nearestMessageCountMax,
  type NearMiss,
  type SearchExplanation,
} from "../../core/search-explanation.ts";
import { anyText } from "../../core/search/any-text.ts";
import { criteriaExpression } from "../../core/search/criteria-expression.ts";
import { type QueryConjunct, similarOperator } from "../../core/search/parse-query.ts";
import type { SearchPage, SummaryPage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import type { SearchQuery } from "../services/search/read-query.ts";
import type { UnmetSearch } from "./explain-search.ts";
import { shownContacts } from "./shown-contacts.ts";

/** Returns an explanation in a few lines, one for each message, for the output of a test. */
export function explanationText(explanation: Omit<SearchExplanation, "text">, waitedMs: number): string {
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

/**
 * Explains why a search with a query found too little: compares the newest messages that arrived while it waited, or shortly
 * before, with each of its parts. Reads at most `explainedMessageCountMax` ids for each.
 */
export async function explainQuery(
  { store, clock }: Pick<Context, "store" | "clock">,
  principal: Principal,
  search: UnmetSearch & { readonly query: SearchQuery },
): Promise<SearchExplanation> {
  const until = clock.now();
  const { server, page } = search;
  const since = Math.min(search.startedAt - explainedMsBefore, page.receivedAfter ?? Infinity);
  const window: SearchPage = {
    page: 0,
    itemsPerPage: explainedMessageCountMax,
    receivedAfter: since,
    direction: page.direction,
    afterSequence: null,
    caller: principal.keyId,
    signal: search.signal,
  };
  const arrived = await store.listMessages(server, window);
  const summaries = summariesOf(arrived);
  const [newest] = summaries;
  const failed = new Map<MessageId, QueryConjunct[]>(summaries.map(({ id }) => [id, []]));
  for (const part of newest === undefined ? [] : partsOf(search)) {
    const bounds = newest === undefined ? window : { ...window, before: nextId(newest.id) };
    const { identities } = await store.findExpression(server, part.expression, bounds);
    const meeting = new Set<string>(identities.map(({ id }) => id));
    for (const [id, parts] of failed) if (!meeting.has(id)) parts.push(part);
  }
  const nearest = summaries
    .map((summary) => ({ summary, parts: failed.get(summary.id) ?? [] }))
    .filter(({ parts }) => parts.length > 0)
    .toSorted((one, other) => one.parts.length - other.parts.length)
    .slice(0, nearestMessageCountMax)
    .map(({ summary, parts }) => showNearMiss(summary, parts));
  const explanation = {
    since: new Date(Math.max(0, since)).toISOString(),
    until: new Date(until).toISOString(),
    arrived: summaries.length,
    hasMore: arrived.hasMore,
    nearest,
  };
  return { text: explanationText(explanation, search.waitedMs), ...explanation };
}

/** Returns the criteria as one part, if there are any, and the parts of the query. */
function partsOf({ criteria, query }: UnmetSearch & { readonly query: SearchQuery }): readonly QueryConjunct[] {
  const expression = criteriaExpression(criteria);
  const hasCriteria = expression.kind !== "and" || expression.of.length > 0;
  return hasCriteria ? [{ text: "criteria", expression }, ...query.conjuncts] : query.conjuncts;
}

function showNearMiss({ id, server, received, from, to, subject }: Summary, parts: readonly QueryConjunct[]): NearMiss {
  return {
    id,
    server,
    direction: decodeMessageId(id).direction,
    received,
    from: shownContacts(from),
    to: shownContacts(to),
    subject: explainedValue(subject),
    failed: parts.map(({ text, expression }) => {
      const similar = similarOperator(text);
      const isText = JSON.stringify(expression) === JSON.stringify(anyText(text));
      const hint = isText && similar !== undefined ? `searched as text; did you mean ${similar}:?` : null;
      return { criterion: "q", expected: explainedValue(text), actual: [], hint };
    }),
  };
}

function summariesOf({ json }: SummaryPage): readonly Summary[] {
  return JSON.parse(`[${Buffer.from(json).toString("utf8")}]`) as readonly Summary[];
}

function nextId(id: MessageId): MessageId {
  const parts = decodeMessageId(id);
  return encodeMessageId({ ...parts, random: Math.min(parts.random + 1, 0xffffffff) });
}
