import { getTagging, putTagging } from "../../../operations/tags/tagging.ts";
import { auditedAct } from "../../audit.ts";
import { jsonResponse } from "../../http-response.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { taggingRequestSchema, taggingSchema } from "../../wire/mark-schema.ts";

const path = "/api/servers/:id/tag-rules";

/** Routes of the settings for tags of messages that arrive. */
export const taggingRoutes: readonly KeyRoute[] = [
  {
    method: "GET",
    path,
    operationId: "getTagRules",
    summary: "Retrieve the settings of a server for tags of messages that arrive.",
    access: "key",
    successes: [{ status: 200, description: "The settings.", schema: taggingSchema }],
    problems: ["not_found"],
    respond: async (call) => jsonResponse(await getTagging(call.context, call.principal, call.id)),
  },
  {
    method: "PUT",
    path,
    operationId: "putTagRules",
    audit: (call) => auditedAct("tagging.set", { server: call.id }),
    summary: "Replace the settings of a server for tags of messages that arrive.",
    access: "key",
    body: { schema: taggingRequestSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The settings.", schema: taggingSchema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const { plusAddresses = false, rules = [] } = decodeBody(taggingRequestSchema, call.body);
      const request = { server: call.id, tagging: { plusAddresses, rules } };
      return jsonResponse(await putTagging(call.context, call.principal, request));
    },
  },
];
