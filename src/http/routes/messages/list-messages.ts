import { listMessages } from "../../../operations/list-messages.ts";
import { pageAnswer, pageSuccess } from "../../lists/page-answer.ts";
import { pageParameters, requestedPage } from "../../lists/page-request.ts";
import type { KeyRoute } from "../../route.ts";
import { requireServer } from "../../wire/page-query.ts";

/** `GET /api/messages`: one page of a server's summaries, newest first. */
export const listMessagesRoute: KeyRoute = {
  method: "GET",
  path: "/api/messages",
  operationId: "listMessages",
  summary: "List the messages of a server, newest first.",
  access: "key",
  query: pageParameters,
  successes: [pageSuccess],
  problems: ["invalid_request", "not_found"],
  answer: async (call) => {
    const server = requireServer(call.query);
    const page = requestedPage(call);
    return pageAnswer(call, page, await listMessages(call.context, call.principal, { server, page }));
  },
};
