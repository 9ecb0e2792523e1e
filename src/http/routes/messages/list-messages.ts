import { listMessages } from "../../../operations/list-messages.ts";
import type { KeyRoute } from "../../route.ts";
import { isOfficialLibrary } from "../../wire/dialect.ts";
import { pageAnswer, pageSuccess } from "../../wire/page-answer.ts";
import { pageParameters } from "../../wire/page-parameters.ts";
import { decodePage, requireServer } from "../../wire/page-query.ts";

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
    const page = decodePage(call.query, {
      limits: call.context.limits,
      ignoresUnknownDirection: isOfficialLibrary(call.headers["user-agent"]),
    });
    return pageAnswer(call, page, await listMessages(call.context, call.principal, { server, page }));
  },
};
