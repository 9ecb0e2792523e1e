/** Routes that list, fetch and delete messages. */
import { type KeyRoute, withSignal } from "../../route.ts";
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
import { transcriptSchema } from "../../../operations/messages/get-transcript.ts";
import { getTranscript, transcriptText } from "../../../operations/messages/get-transcript.ts";
import { jsonResponse, noContent, textResponse } from "../../http-response.ts";
import { decodeMessageId, parseMessageId } from "../../../core/ids.ts";
import { deleteMatching, deleteMessage, emptyServer } from "../../../operations/messages/delete-messages.ts";
import { auditedAct, deletedCount } from "../../audit.ts";
import { requireServer } from "../../wire/page-query.ts";
import { deletionResultSchema } from "../../wire/search-schema.ts";

/** `DELETE /api/messages/search`: deletes the messages that match a query. */
export const deleteMatchingRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/messages/search",
  operationId: "deleteMatchingMessages",
  summary: "Delete the messages of a server that match a query, newest first, at most 10,000 at a time.",
  access: "key",
  audit: (call, response) =>
    auditedAct("message.delete_matching", {
      server: requireServer(call.query),
      details: { deleted: deletedCount(response) },
    }),
  query: [
    ...pageParameters.filter(({ name }) => name === "server" || name === "dir"),
    ...queryParameters.map((parameter) => ({ ...parameter, isRequired: parameter.name === "q" })),
  ],
  successes: [{ status: 200, description: "The number of deleted messages.", schema: deletionResultSchema }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    const { server, page } = requestedList(call);
    const query = requestedQuery(call, undefined);
    const request = { server, query, direction: page.direction, signal: call.signal() };
    return jsonResponse(await deleteMatching(call.context, call.principal, request));
  },
};

/** `DELETE /api/messages`: deletes all messages of a server and their attachments permanently. */
export const emptyServerRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/messages",
  operationId: "emptyServer",
  summary: "Delete all messages of a server with their attachments.",
  access: "key",
  audit: (call) => {
    const server = requireServer(call.query);
    return auditedAct("server.empty", { target: server, server });
  },
  query: [serverParameter],
  successes: [{ status: 204, description: "Deleted." }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    await emptyServer(call.context, call.principal, requireServer(call.query));
    return noContent;
  },
};

/** `DELETE /api/messages/:id`: deletes a message and its attachments permanently. */
export const deleteMessageRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/messages/:id",
  operationId: "deleteMessage",
  summary: "Delete a message with its attachments.",
  access: "key",
  audit: (call) => {
    const message = parseMessageId(call.id);
    const server = message === undefined ? null : decodeMessageId(message).server;
    return auditedAct("message.delete", { target: call.id, server });
  },
  successes: [{ status: 204, description: "Deleted." }],
  problems: ["not_found", "storage_full"],
  respond: async (call) => {
    await deleteMessage(call.context, call.principal, call.id);
    return noContent;
  },
};

/** `GET /api/messages/:id/transcript`: session or request that delivered a message. */
export const getTranscriptRoute: KeyRoute = {
  method: "GET",
  path: "/api/messages/:id/transcript",
  operationId: "getTranscript",
  summary:
    "Retrieve the transcript of the SMTP session or HTTP request that delivered a message; as text with `Accept: text/plain`.",
  access: "key",
  successes: [{ status: 200, description: "The transcript.", schema: transcriptSchema, headers: { vary: "Accept" } }],
  problems: ["not_found"],
  respond: async (call) => {
    const transcript = await getTranscript(call.context, call.principal, call.id);
    const isText = /\btext\/plain\b/i.test(call.headers.accept ?? "");
    const response = isText
      ? textResponse(transcriptText(transcript), "text/plain; charset=utf-8")
      : jsonResponse(transcript);
    return { ...response, headers: { ...response.headers, vary: "Accept" } };
  },
};

/** `GET /api/messages/:id`: a full message. */
export const getMessageRoute: KeyRoute = {
  method: "GET",
  path: "/api/messages/:id",
  operationId: "getMessage",
  summary: "Retrieve a message.",
  access: "key",
  successes: [{ status: 200, description: "The full message.", schema: messageSchema }],
  problems: ["not_found"],
  respond: async (call) => {
    return messageResponse(await openMessage({ ...withSignal(call), room: call.room }, call.principal, call.id));
  },
};

/** `GET /api/messages`: a page of a server's summaries, newest first. */
export const listMessagesRoute: KeyRoute = {
  method: "GET",
  path: "/api/messages",
  operationId: "listMessages",
  summary: "List the messages of a server, newest first, or those that match a query.",
  access: "key",
  query: [...pageParameters, ...labelParameters, ...queryParameters],
  successes: [pageSuccess],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const query = requestedQuery(call, undefined);
    const request = { ...requestedList(call), criteria: requestedLabels(call.query), query, signal: call.signal };
    return pageResponse(call, request.page, await listMessages(call.context, call.principal, request));
  },
};
