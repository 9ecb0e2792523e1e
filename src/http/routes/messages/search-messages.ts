import { keyRoute } from "../rows.ts";
import type { Criteria, WireCriteria } from "../../../core/criteria.ts";
import { Problem } from "../../../core/errors.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import type { SearchExplanation } from "../../../core/search-explanation.ts";
import { checkCriteria, type SearchQuery } from "../../../operations/services/search/read-search.ts";
import { searchMessages, type SearchOutcome } from "../../../operations/messages/search-messages.ts";
import { summariesOf } from "../../../operations/services/reading/stored-detail.ts";
import { fullPageResponse, pageResponse, pageSuccess } from "../../lists/page-response.ts";
import {
  type ListRequest,
  pageParameters,
  queryParameters,
  requestedList,
  requestedQuery,
  waitParameters,
} from "../../lists/page-request.ts";
import { type HttpResponse, jsonResponse } from "../../http-response.ts";
import type { KeyCall, KeyRoute, QueryParameter } from "../../route.ts";
import { toWireError } from "../../wire/error-schema.ts";
import { decodeFull, decodeWait } from "../../wire/page-query.ts";
import {
  explainedSearchSchema,
  type WireQuery,
  searchSchema,
  journeyResultSchema,
  journeySchema,
  type WireJourneyResult,
  type WireStep,
} from "../../wire/search-schema.ts";
import { summarySchema } from "../../../core/message.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { build, listOf, refer, type WireSchema } from "../../../core/schema.ts";
import type { Journey, JourneyStep } from "../../../core/journey.ts";
import { awaitJourney } from "../../../operations/messages/await-journey.ts";

/** Milliseconds that a journey waits for messages without `timeout`. */
const timeoutMsDefault = 10_000;

const boundNames = new Set(["server", "receivedAfter", "after"]);
const timeoutParameter: QueryParameter = {
  name: "timeout",
  description: "Milliseconds to wait for messages; the quiet times are added to it, together at most 60000.",
  schema: build.integer({ minimum: 0, maximum: 60_000, default: timeoutMsDefault }),
};

/** `POST /api/messages/journey`: waits for a set of messages. */
export const awaitJourneyRoute: KeyRoute = keyRoute("awaitJourney", "POST /api/messages/journey", {
  summary: "Wait for several messages in the given or any order, and for quiet; 409 says which are missing.",
  permission: "read",
  query: [...pageParameters.filter(({ name }) => boundNames.has(name)), timeoutParameter],
  body: journeySchema,
  returns: ["The messages of every step.", journeyResultSchema],
  problems: ["conflict"],
  respond: async (call) => {
    const { server, bounds, timeoutMs, journey } = decodeJourney(call);
    const outcome = await awaitJourney(call.context, call.principal, {
      server,
      bounds,
      timeoutMs,
      journey,
      isOpen: call.isOpen,
      gone: call.signal(),
    });
    return journeyResponse({
      complete: outcome.failures.length === 0,
      cursor: outcome.cursor,
      steps: journey.steps.map(({ name }, position) => ({ name, messages: outcome.messages[position] ?? [] })),
      failures: outcome.failures,
    });
  },
});

/** Returns 200 for a complete journey, else 409 in the catalogue's form with the members of the result. */
function journeyResponse(result: WireJourneyResult): HttpResponse {
  if (result.complete) return jsonResponse(result);
  const text = result.failures.map((failure) => failure.text).join(". ");
  return { ...jsonResponse({ ...toWireError(new Problem("conflict", { text })), ...result }), status: 409 };
}

/** Decodes query and body; throws a 400 that names every wrong field of both. */
function decodeJourney(call: KeyCall) {
  const errors = new FieldCollector();
  const list = errors.collect(() => requestedList(call));
  const wait = errors.collect(() => decodeWait(call.query, call.context.limits));
  const body = errors.collect(() => decodeBody(journeySchema, call.body));
  errors.finish();
  if (list === undefined || wait === undefined || body === undefined) {
    throw new Error("a field failed without a field error");
  }
  const { receivedAfter, afterSequence } = list.page;
  const journey: Journey = { order: body.order ?? "given", steps: body.steps.map((step) => decodeStep(step)) };
  return {
    server: list.server,
    bounds: { receivedAfter, afterSequence },
    timeoutMs: wait.timeoutMs ?? timeoutMsDefault,
    journey,
  };
}

function decodeStep({ name, dir, count, quiet, match, ...criteria }: WireStep): JourneyStep {
  return {
    name: name ?? null,
    direction: dir ?? "Received",
    criteria: Object.keys(criteria).length === 0 ? null : { ...criteria, match: match ?? "ALL" },
    count: count ?? (quiet === undefined ? 1 : 0),
    quietMs: quiet ?? 0,
  };
}

const delayHeader = {
  "x-ms-delay":
    "Milliseconds to wait before the same search is repeated: 0 when the service will hold the repeated request, else 1000.",
};

/** An array, and an object with `explain=true`. */
const resultSchema: WireSchema<unknown> = build.anyOf([listOf(summarySchema), refer(explainedSearchSchema)]);

/** `POST /api/messages/search`: a page of the summaries that match the criteria, newest first. */
export const searchMessagesRoute: KeyRoute = keyRoute("searchMessages", "POST /api/messages/search", {
  summary: "Search the messages of a server, newest first, and optionally wait for a match.",
  permission: "read",
  query: [...pageParameters, ...queryParameters, ...waitParameters],
  body: searchSchema,
  returns: [{ ...pageSuccess, schema: resultSchema, headers: { ...pageSuccess.headers, ...delayHeader } }],
  problems: ["conflict"],
  respond: async (call) => {
    const { server, page, isFull, match, criteria, query, wait } = decodeSearch(call);
    const outcome = await searchMessages(call.context, call.principal, {
      server,
      page,
      criteria: { ...criteria, match: match ?? "ALL" },
      query,
      ...wait,
      isOpen: call.isOpen,
      gone: call.signal(),
    });
    if (outcome.unexpected) return conflictResponse(outcome, wait.exactly?.count ?? 0);
    const shown = wait.explain ? explainedCall(call, outcome.explanation, query) : call;
    const response = isFull
      ? await fullPageResponse(shown, page, outcome.page)
      : pageResponse(shown, page, outcome.page);
    return { ...response, headers: { ...response.headers, "x-ms-delay": String(outcome.delayMs) } };
  },
});

/** Returns a call whose list is an object with the explanation, for all clients. */
function explainedCall(call: KeyCall, explanation: SearchExplanation | null, query: SearchQuery | null): KeyCall {
  const head = Buffer.from('{"items":[');
  const understood: WireQuery | null = query && { q: query.text, terms: query.terms };
  const tail = Buffer.from(`],"explanation":${JSON.stringify(explanation)},"query":${JSON.stringify(understood)}}`);
  return { ...call, encodeList: (itemsJson) => [head, itemsJson, tail] };
}

/** A search, decoded. */
interface DecodedSearch extends ListRequest {
  readonly isFull: boolean;
  readonly match: Criteria["match"] | undefined;
  readonly criteria: Omit<Criteria, "match">;
  readonly query: SearchQuery | null;
  readonly wait: ReturnType<typeof decodeWait>;
}

/** Decodes query and body; throws a 400 that names every wrong field of both. */
function decodeSearch(call: KeyCall): DecodedSearch {
  const errors = new FieldCollector();
  const list = errors.collect(() => requestedList(call));
  const isFull = errors.collect(() => decodeFull(call.query, list?.page ?? null));
  const wait = errors.collect(() => decodeWait(call.query, call.context.limits));
  const check = (partial: Partial<WireCriteria>): void => {
    checkCriteria(partial, call.context.limits.searchTextLengthMax);
  };
  const body = errors.collect(() => decodeBody(searchSchema, call.body, check));
  if (errors.wrongFields.length > 0 && body !== undefined) errors.collectOthers(() => check(body));
  const query = errors.collect(() => requestedQuery(call, body?.q));
  errors.finish();
  if (list === undefined || isFull === undefined || wait === undefined || body === undefined || query === undefined) {
    throw new Error("a field failed without a field error");
  }
  const { match, q: _, ...criteria } = body;
  return { ...list, isFull, wait, match, criteria, query };
}

/**
 * Returns 409 in the catalogue's form, with `messages`, the summaries that matched, and `explanation` if there is one.
 */
function conflictResponse({ page, explanation }: SearchOutcome, expected: number): HttpResponse {
  const count = `${page.hasMore ? "More than " : ""}${String(page.count)} ${page.count === 1 ? "message matches" : "messages match"}`;
  const text = expected === 0 ? "A message matches, though none should" : `${count}; expected ${String(expected)}`;
  const body = { ...toWireError(new Problem("conflict", { text })), messages: summariesOf(page) };
  return { ...jsonResponse(explanation === null ? body : { ...body, explanation }), status: 409 };
}
