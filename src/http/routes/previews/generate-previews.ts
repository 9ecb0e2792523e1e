import { generatePreviews } from "../../../operations/previews/generate-previews.ts";
import { listResponse } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import {
  formerRequestSchema,
  legacyRequestedPreviews,
  previewRequestSchema,
  previewSchema,
  requestedPreviews,
} from "../../wire/preview-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { listOf } from "../../wire/schema.ts";

/** `POST /api/messages/:id/screenshots`: generates previews of a mail. */
export const generatePreviewsRoute: KeyRoute = {
  method: "POST",
  path: "/api/messages/:id/screenshots",
  operationId: "generatePreviews",
  summary: "Generate previews of a mail in several email clients.",
  access: "key",
  permission: "read",
  body: { schema: previewRequestSchema, required: ["emailClients"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The previews, ready or not.", schema: listOf(previewSchema) }],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const wanted = requestedPreviews(decodeBody(previewRequestSchema, call.body));
    const request = { id: call.id, wanted, listField: "emailClients" };
    return listResponse(call, await generatePreviews(call.context, call.principal, request));
  },
};

/** `POST /api/messages/:id/previews`: the same for libraries before 2026. */
export const generateFormerPreviewsRoute: KeyRoute = {
  method: "POST",
  path: "/api/messages/:id/previews",
  operationId: "generateFormerPreviews",
  summary: "Generate previews of a mail, for libraries before 2026.",
  access: "key",
  permission: "read",
  body: { schema: formerRequestSchema, required: ["previews"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The previews, ready or not.", schema: listOf(previewSchema) }],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const wanted = legacyRequestedPreviews(decodeBody(formerRequestSchema, call.body));
    const request = { id: call.id, wanted, listField: "previews" };
    return listResponse(call, await generatePreviews(call.context, call.principal, request));
  },
};
