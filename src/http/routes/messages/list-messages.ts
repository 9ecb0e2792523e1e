import { listMessages } from "../../../operations/list-messages.ts";
import { pageAnswer, pageSuccess } from "../../lists/page-answer.ts";
import { pageParameters, requestedList } from "../../lists/page-request.ts";
import type { KeyRoute } from "../../route.ts";

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
    const request = requestedList(call);
    return pageAnswer(call, request.page, await listMessages(call.context, call.principal, request));
  },
};
