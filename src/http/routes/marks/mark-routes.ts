import { FieldCollector } from "../../../core/field-collector.ts";
import { int32Max, markedMessageCountMax } from "../../../core/limits.ts";
import { getMarks, listMarks, listTags, markMessages, putMarks } from "../../../operations/marks/marks.ts";
import { jsonResponse } from "../../http-response.ts";
import { serverParameter } from "../../lists/page-request.ts";
import { listResponse } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute } from "../../route.ts";
import {
  markChangeSchema,
  markedMessageSchema,
  markResultSchema,
  marksRequestSchema,
  marksSchema,
  tagSchema,
} from "../../wire/mark-schema.ts";
import { decodeInteger, requireServer } from "../../wire/page-query.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { build, listOf } from "../../../core/schema.ts";

/** Routes of the flags and tags of messages. Changes of marks are not audited: readers make them all the time. */
export const markRoutes: readonly KeyRoute[] = [
  {
    method: "POST",
    path: "/api/messages/marks",
    operationId: "markMessages",
    summary: "Add and remove flags and tags of messages of a server.",
    access: "key",
    query: [serverParameter],
    body: { schema: markChangeSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The number of changed messages.", schema: markResultSchema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const { ids = [], ...change } = decodeBody(markChangeSchema, call.body);
      const request = { server: requireServer(call.query), ids, change };
      return jsonResponse({ changed: await markMessages(call.context, call.principal, request) });
    },
  },
  {
    method: "GET",
    path: "/api/messages/:id/marks",
    operationId: "getMarks",
    summary: "Retrieve the flags and tags of a message.",
    access: "key",
    successes: [{ status: 200, description: "Flags and tags.", schema: marksSchema }],
    problems: ["not_found"],
    respond: async (call) => jsonResponse(await getMarks(call.context, call.principal, call.id)),
  },
  {
    method: "PUT",
    path: "/api/messages/:id/marks",
    operationId: "putMarks",
    summary: "Replace the flags and tags of a message.",
    access: "key",
    body: { schema: marksRequestSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The new flags and tags.", schema: marksSchema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const { flags = [], tags = [] } = decodeBody(marksRequestSchema, call.body);
      return jsonResponse(await putMarks(call.context, call.principal, { id: call.id, marks: { flags, tags } }));
    },
  },
  {
    method: "GET",
    path: "/api/servers/:id/marks",
    operationId: "listMarks",
    summary: "List the flags and tags of the messages of a server that changed after a point, by their last change.",
    access: "key",
    query: [
      {
        name: "after",
        description: "Only changes after this number, that of the last element of the page before.",
        schema: build.integer({ minimum: 0, maximum: int32Max, default: 0 }),
      },
      {
        name: "limit",
        description:
          "Number of messages; further ones of the last change follow, so that the next page can start after it.",
        schema: build.integer({ minimum: 1, maximum: markedMessageCountMax, default: markedMessageCountMax }),
      },
    ],
    successes: [{ status: 200, description: "Flags and tags.", schema: listOf(markedMessageSchema) }],
    problems: ["invalid_request", "not_found"],
    respond: async (call) => {
      const marked = await listMarks(call.context, call.principal, { server: call.id, ...decodePage(call) });
      return listResponse(
        call,
        marked.map(({ id, marks, sequence }) => ({ id, ...marks, sequence })),
      );
    },
  },
  {
    method: "GET",
    path: "/api/servers/:id/tags",
    operationId: "listTags",
    summary: "List the tags of the messages of a server, by name, at most 1000; without those that a provider gave.",
    access: "key",
    successes: [{ status: 200, description: "The tags.", schema: listOf(tagSchema) }],
    problems: ["not_found"],
    respond: async (call) => listResponse(call, await listTags(call.context, call.principal, call.id)),
  },
];

/** Decodes the bounds of a list of marks; throws a 400 that names every wrong one. */
function decodePage({ query }: KeyCall): { readonly sequence: number; readonly limit: number } {
  const errors = new FieldCollector();
  const sequence = errors.collect(() => decodeInteger(query, "after", { min: 0, max: int32Max }));
  const limit = errors.collect(() => decodeInteger(query, "limit", { min: 1, max: markedMessageCountMax }));
  errors.finish();
  return { sequence: sequence ?? 0, limit: limit ?? markedMessageCountMax };
}
