import { keyRoute } from "../rows.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { int32Max, markedMessageCountMax } from "../../../core/limits.ts";
import { getMarks, listMarks, listTags, markMessages, putMarks, tagSchema } from "../../../operations/marks/marks.ts";
import { serverParameter } from "../../lists/page-request.ts";
import type { KeyCall, KeyRoute } from "../../route.ts";
import {
  markChangeSchema,
  markedMessageSchema,
  markResultSchema,
  marksRequestSchema,
  marksSchema,
  taggingRequestSchema,
  taggingSchema,
} from "../../wire/mark-schema.ts";
import { decodeInteger, requireServer } from "../../wire/page-query.ts";
import { build, listOf } from "../../../core/schema.ts";
import { getTagging, putTagging } from "../../../operations/tags/tagging.ts";
import { auditedAct } from "../../audit.ts";

const taggingPath = "/api/servers/:id/tag-rules";

/** Routes of the flags and tags of messages, and of the settings for tags of messages that arrive. Changes of marks are not audited: readers make them all the time. */
export const markRoutes: readonly KeyRoute[] = [
  keyRoute("markMessages", "POST /api/messages/marks", {
    summary: "Add and remove flags and tags of messages of a server.",
    query: [serverParameter],
    body: markChangeSchema,
    returns: ["The number of changed messages.", markResultSchema],
    run: async ({ context, principal, query }, { ids = [], ...change }) => ({
      changed: await markMessages(context, principal, { server: requireServer(query), ids, change }),
    }),
  }),
  keyRoute("getMarks", "GET /api/messages/:id/marks", {
    summary: "Retrieve the flags and tags of a message.",
    returns: ["Flags and tags.", marksSchema],
    run: async ({ context, principal, id }) => getMarks(context, principal, id),
  }),
  keyRoute("putMarks", "PUT /api/messages/:id/marks", {
    summary: "Replace the flags and tags of a message.",
    body: marksRequestSchema,
    returns: ["The new flags and tags.", marksSchema],
    run: async ({ context, principal, id }, { flags = [], tags = [] }) =>
      putMarks(context, principal, { id, marks: { flags, tags } }),
  }),
  keyRoute("listMarks", "GET /api/servers/:id/marks", {
    summary: "List the flags and tags of the messages of a server that changed after a point, by their last change.",
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
    returns: ["Flags and tags.", listOf(markedMessageSchema)],
    run: async (call) => {
      const marked = await listMarks(call.context, call.principal, { server: call.id, ...decodePage(call) });
      return marked.map(({ id, marks, sequence }) => ({ id, ...marks, sequence }));
    },
  }),
  keyRoute("listTags", "GET /api/servers/:id/tags", {
    summary: "List the tags of the messages of a server, by name, at most 1000; without those that a provider gave.",
    returns: ["The tags.", listOf(tagSchema)],
    run: async ({ context, principal, id }) => listTags(context, principal, id),
  }),
  keyRoute("getTagRules", `GET ${taggingPath}`, {
    summary: "Retrieve the settings of a server for tags of messages that arrive.",
    returns: ["The settings.", taggingSchema],
    run: async ({ context, principal, id }) => getTagging(context, principal, id),
  }),
  keyRoute("putTagRules", `PUT ${taggingPath}`, {
    summary: "Replace the settings of a server for tags of messages that arrive.",
    body: taggingRequestSchema,
    audit: (call) => auditedAct("tagging.set", { server: call.id }),
    returns: ["The settings.", taggingSchema],
    run: async ({ context, principal, id }, { plusAddresses = false, rules = [] }) =>
      putTagging(context, principal, { server: id, tagging: { plusAddresses, rules } }),
  }),
];

/** Decodes the bounds of a list of marks; throws a 400 that names every wrong one. */
function decodePage({ query }: KeyCall): { readonly sequence: number; readonly limit: number } {
  const errors = new FieldCollector();
  const sequence = errors.collect(() => decodeInteger(query, "after", { min: 0, max: int32Max }));
  const limit = errors.collect(() => decodeInteger(query, "limit", { min: 1, max: markedMessageCountMax }));
  errors.finish();
  return { sequence: sequence ?? 0, limit: limit ?? markedMessageCountMax };
}
