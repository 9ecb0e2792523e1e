import { type KeyRoute, withSignal } from "../../route.ts";
import { awaitJourneyRoute, searchMessagesRoute } from "./search-messages.ts";
import { messageArchiveRoutes } from "../bundles/bundle-routes.ts";
import { markRoutes } from "../marks/mark-routes.ts";
import { savedSearchRoutes, searchRoutes } from "../searches/search-routes.ts";
import { composingRoutes } from "./composing.ts";
import { findDuplicatesRoute } from "./find-duplicates.ts";
import { keyRoute } from "../rows.ts";
import { listMessages } from "../../../operations/messages/list-messages.ts";
import { pageResponse, pageSuccess } from "../../lists/page-response.ts";
import {
  labelParameters,
  pageParameters,
  queryParameters,
  requestedLabels,
  requestedList,
  requestedQuery,
  serverParameter,
} from "../../lists/page-request.ts";
import { openMessage } from "../../../operations/services/reading/get-message.ts";
import { messageResponse } from "../../wire/message-json.ts";
import { messageSchema } from "../../../core/message.ts";
import { transcriptSchema, getTranscript, transcriptText } from "../../../operations/messages/get-transcript.ts";
import { jsonResponse, textResponse } from "../../http-response.ts";
import {
  deleteMatching,
  deleteMessage,
  deletionResultSchema,
  emptyServer,
} from "../../../operations/messages/delete-messages.ts";
import { auditedAct, deletedCount, serverOfMessage } from "../../audit.ts";
import { requireServer } from "../../wire/page-query.ts";

/** Routes that list and fetch messages. */
const readingRoutes: readonly KeyRoute[] = [
  keyRoute("listMessages", "GET /api/messages", {
    summary: "List the messages of a server, newest first, or those that match a query.",
    query: [...pageParameters, ...labelParameters, ...queryParameters],
    returns: [pageSuccess],
    respond: async (call) => {
      const query = requestedQuery(call, undefined);
      const request = { ...requestedList(call), criteria: requestedLabels(call.query), query, signal: call.signal };
      return pageResponse(call, request.page, await listMessages(call.context, call.principal, request));
    },
  }),
  keyRoute("getMessage", "GET /api/messages/:id", {
    summary: "Retrieve a message.",
    returns: ["The full message.", messageSchema],
    respond: async (call) =>
      messageResponse(await openMessage({ ...withSignal(call), room: call.room }, call.principal, call.id)),
  }),
  keyRoute("getTranscript", "GET /api/messages/:id/transcript", {
    summary:
      "Retrieve the transcript of the SMTP session or HTTP request that delivered a message; as text with `Accept: text/plain`.",
    returns: ["The transcript.", transcriptSchema, { headers: { vary: "Accept" } }],
    respond: async ({ context, principal, id, headers }) => {
      const transcript = await getTranscript(context, principal, id);
      const isText = /\btext\/plain\b/i.test(headers.accept ?? "");
      const response = isText
        ? textResponse(transcriptText(transcript), "text/plain; charset=utf-8")
        : jsonResponse(transcript);
      return { ...response, headers: { ...response.headers, vary: "Accept" } };
    },
  }),
];

/** Routes that delete messages, with their attachments. */
const deletingRoutes: readonly KeyRoute[] = [
  keyRoute("emptyServer", "DELETE /api/messages", {
    summary: "Delete all messages of a server with their attachments.",
    query: [serverParameter],
    audit: (call) => {
      const server = requireServer(call.query);
      return auditedAct("server.empty", { target: server, server });
    },
    returns: ["Deleted."],
    run: async ({ context, principal, query }) => emptyServer(context, principal, requireServer(query)),
  }),
  keyRoute("deleteMatchingMessages", "DELETE /api/messages/search", {
    summary: "Delete the messages of a server that match a query, newest first, at most 10,000 at a time.",
    query: [
      ...pageParameters.filter(({ name }) => name === "server" || name === "dir"),
      ...queryParameters.map((parameter) => ({ ...parameter, isRequired: parameter.name === "q" })),
    ],
    audit: (call, response) =>
      auditedAct("message.delete_matching", {
        server: requireServer(call.query),
        details: { deleted: deletedCount(response) },
      }),
    returns: ["The number of deleted messages.", deletionResultSchema],
    run: async (call) => {
      const { server, page } = requestedList(call);
      const query = requestedQuery(call, undefined);
      const request = { server, query, direction: page.direction, signal: call.signal() };
      return deleteMatching(call.context, call.principal, request);
    },
  }),
  keyRoute("deleteMessage", "DELETE /api/messages/:id", {
    summary: "Delete a message with its attachments.",
    audit: ({ id }) => auditedAct("message.delete", { target: id, server: serverOfMessage(id) }),
    returns: ["Deleted."],
    run: async ({ context, principal, id }) => deleteMessage(context, principal, id),
  }),
];

/** Routes below `/api/messages`. */
export const messageRoutes: readonly KeyRoute[] = [
  ...readingRoutes,
  searchMessagesRoute,
  awaitJourneyRoute,
  findDuplicatesRoute,
  ...messageArchiveRoutes,
  ...composingRoutes,
  ...deletingRoutes,
  ...markRoutes,
  ...savedSearchRoutes,
  ...searchRoutes,
];
