import { Problem } from "../../../core/errors.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import type { Journey, JourneyStep } from "../../../core/journey.ts";
import { awaitJourney } from "../../../operations/messages/await-journey.ts";
import { jsonResponse, type HttpResponse } from "../../http-response.ts";
import { pageParameters, requestedList } from "../../lists/page-request.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute, type QueryParameter } from "../../route.ts";
import { toWireError } from "../../wire/error-json.ts";
import {
  journeyResultSchema,
  journeySchema,
  type WireJourneyResult,
  type WireStep,
} from "../../wire/journey-schema.ts";
import { decodeWait } from "../../wire/page-query.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { build } from "../../wire/schema.ts";

/** Milliseconds that a journey waits for messages without `timeout`. */
const timeoutMsDefault = 10_000;

const boundNames = new Set(["server", "receivedAfter", "after"]);
const timeoutParameter: QueryParameter = {
  name: "timeout",
  description: "Milliseconds to wait for messages; the quiet times are added to it, together at most 60000.",
  schema: build.integer({ minimum: 0, maximum: 60_000, default: timeoutMsDefault }),
};

/** `POST /api/messages/journey`: waits for a set of messages. */
export const awaitJourneyRoute: KeyRoute = {
  method: "POST",
  path: "/api/messages/journey",
  operationId: "awaitJourney",
  summary: "Wait for several messages in the given or any order, and for quiet; 409 says which are missing.",
  access: "key",
  permission: "read",
  query: [...pageParameters.filter(({ name }) => boundNames.has(name)), timeoutParameter],
  body: { schema: journeySchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The messages of every step.", schema: journeyResultSchema }],
  problems: ["invalid_request", "not_found", "conflict"],
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
};

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
