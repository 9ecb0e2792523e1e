import { Problem } from "../../../core/errors.ts";
import type { Summary } from "../../../core/message.ts";
import { getMessages } from "../../../operations/get-messages.ts";
import { searchMessages } from "../../../operations/search-messages.ts";
import { pageAnswer, pageSuccess } from "../../lists/page-answer.ts";
import { pageParameters, requestedPage, waitParameters } from "../../lists/page-request.ts";
import { jsonAnswer, type Answer } from "../../answer.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute } from "../../route.ts";
import { toWireError } from "../../wire/error-json.ts";
import { joinItems } from "../../wire/list-encoder.ts";
import { decodeFull, decodeWait, requireServer } from "../../wire/page-query.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { criteriaSchema } from "../../wire/search-schema.ts";

const delayHeader = {
  "x-ms-delay": "Milliseconds to wait before the same search is repeated: 0 when the repeat will be held, else 1000.",
};

/** `POST /api/messages/search`: one page of the summaries that meet the criteria, newest first. */
export const searchMessagesRoute: KeyRoute = {
  method: "POST",
  path: "/api/messages/search",
  operationId: "searchMessages",
  summary: "Search the messages of a server, newest first, and wait for a match where asked to.",
  access: "key",
  query: [...pageParameters, ...waitParameters],
  body: { schema: criteriaSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ ...pageSuccess, headers: { ...pageSuccess.headers, ...delayHeader } }],
  problems: ["invalid_request", "not_found", "conflict"],
  answer: async (call) => {
    const server = requireServer(call.query);
    const page = requestedPage(call);
    const isFull = decodeFull(call.query, page);
    const { match, ...criteria } = decodeBody(criteriaSchema, call.body);
    const outcome = await searchMessages(call.context, call.principal, {
      server,
      page,
      criteria: { ...criteria, match: match ?? "ALL" },
      ...decodeWait(call.query),
      gone: call.gone(),
    });
    if (outcome.unexpected) return conflictAnswer(outcome.page.json);
    const json = isFull ? await fullJson(call, outcome.page.json) : outcome.page.json;
    const answer = pageAnswer(call, page, { ...outcome.page, json });
    return { ...answer, headers: { ...answer.headers, "x-ms-delay": String(outcome.delayMs) } };
  },
};

/** 409 in the catalogue's form, and `messages`: the summaries of what should not have come. */
function conflictAnswer(summariesJson: Uint8Array): Answer {
  const problem = new Problem("conflict", { text: "A message matches, though none should" });
  return { ...jsonAnswer({ ...toWireError(problem), messages: summariesOf(summariesJson) }), status: 409 };
}

async function fullJson(call: KeyCall, summariesJson: Uint8Array): Promise<Uint8Array> {
  const ids = summariesOf(summariesJson).map((summary) => summary.id);
  return joinItems(await getMessages(call.context, call.principal, ids));
}

function summariesOf(json: Uint8Array): readonly Summary[] {
  return JSON.parse(`[${Buffer.from(json).toString("utf8")}]`) as Summary[];
}
