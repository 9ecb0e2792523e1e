import type { Principal } from "../../core/api-key.ts";
import { decodeMessageId, encodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Summary } from "../../core/message.ts";
import { criteriaExpression } from "../../core/search/criteria-expression.ts";
import { similarOperator, type QueryConjunct } from "../../core/search/parse-query.ts";
import { anyText } from "../../core/search/any-text.ts";
import {
  explainedMessageCountMax,
  explainedMsBefore,
  explainedValue,
  nearestMessageCountMax,
  type NearMiss,
  type SearchExplanation,
} from "../../core/search-explanation.ts";
import type { SearchPage, SummaryPage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import type { SearchQuery } from "../services/search/read-query.ts";
import type { UnmetSearch } from "./explain-search.ts";
import { explanationText } from "./explanation-text.ts";
import { shownContacts } from "./shown-contacts.ts";

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
