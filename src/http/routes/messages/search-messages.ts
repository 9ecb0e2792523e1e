import { Problem } from "../../../core/errors.ts";
import { awaitMessages } from "../../../operations/await-messages.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { isOfficialLibrary } from "../../wire/dialect.ts";
import { pageAnswer, pageSuccess } from "../../wire/page-answer.ts";
import { pageParameters, waitParameters } from "../../wire/page-parameters.ts";
import { decodePage, decodeWait, requireServer } from "../../wire/page-query.ts";
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
    const page = decodePage(call.query, {
      limits: call.context.limits,
      ignoresUnknownDirection: isOfficialLibrary(call.headers["user-agent"]),
    });
    const { match, ...criteria } = decodeBody(criteriaSchema, call.body);
    const outcome = await awaitMessages(call.context, call.principal, {
      server,
      page,
      criteria: { ...criteria, match: match ?? "ALL" },
      ...decodeWait(call.query),
      gone: call.gone(),
    });
    if (outcome.unexpected) throw new Problem("conflict", { text: "A message matches, though none should" });
    const answer = pageAnswer(call, page, outcome.page);
    return { ...answer, headers: { ...answer.headers, "x-ms-delay": String(outcome.delayMs) } };
  },
};
