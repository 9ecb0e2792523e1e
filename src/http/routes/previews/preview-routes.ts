import { type Call, jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { generatePreviews, getPreview, listEmailClients } from "../../../operations/previews/previews.ts";
import type { PreviewFile } from "../../../operations/previews/previews.ts";
import { listResponse } from "../../lists/page-response.ts";
import {
  emailClientSchema,
  formerClientSchema,
  formerRequestSchema,
  legacyRequestedPreviews,
  previewRequestSchema,
  previewSchema,
  requestedPreviews,
  toFormerClients,
  toWireClients,
} from "../../wire/preview-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { listOf } from "../../../core/schema.ts";
import { createHash } from "node:crypto";
import type { HttpResponse } from "../../http-response.ts";
import { fileResponse, fileSuccesses } from "../../files/file-response.ts";

/** `GET /api/screenshots/clients`: email clients that previews emulate. */
const listEmailClientsRoute: KeyRoute = {
  method: "GET",
  path: "/api/screenshots/clients",
  operationId: "listEmailClients",
  summary: "List the email clients of previews, and the emulated features of each.",
  access: "key",
  successes: [{ status: 200, description: "The email clients.", schema: listOf(emailClientSchema) }],
  problems: [],
  respond: async (call) => listResponse(call, toWireClients(await listEmailClients(call.context))),
};

/** `GET /api/previews/clients`: the same for libraries before 2026. */
const listFormerClientsRoute: KeyRoute = {
  method: "GET",
  path: "/api/previews/clients",
  operationId: "listFormerEmailClients",
  summary: "List the email clients in the form of libraries before 2026.",
  access: "key",
  successes: [{ status: 200, description: "The email clients.", schema: listOf(formerClientSchema) }],
  problems: [],
  respond: async (call) => listResponse(call, toFormerClients(await listEmailClients(call.context))),
};

/** Longest wait for a preview before the client is asked to retry, in milliseconds. */
const heldMs = 1000;
/** Longest wait for libraries before 2026, which do not retry; rendering ends long before. */
const heldForFormerMs = 110_000;

const asksAgain = {
  status: 202,
  description: "The preview is not ready; retry later.",
  headers: { "x-ms-delay": "Milliseconds to wait before the retry." },
} as const;

/** `GET /api/files/screenshots/:id`: the image of a preview, as soon as it is ready. */
const getPreviewRoute: KeyRoute = {
  method: "GET",
  path: "/api/files/screenshots/:id",
  operationId: "getPreview",
  summary: "Fetch the image of a preview, which is generated on demand.",
  access: "key",
  successes: [...fileSuccesses("image/png"), asksAgain],
  problems: ["invalid_request", "not_found", "gone", "range_not_satisfiable"],
  respond: async (call) => {
    const file = await getPreview(call.context, call.principal, { id: call.id, waitMs: heldMs });
    if (file === null) return { status: 202, headers: { "x-ms-delay": "1000" }, body: [] };
    return pictureAnswer(call, file);
  },
};

/** `GET /api/files/previews/:id`: the same for libraries before 2026, which do not retry. */
const getFormerPreviewRoute: KeyRoute = {
  method: "GET",
  path: "/api/files/previews/:id",
  operationId: "getFormerPreview",
  summary: "Fetch the image of a preview, waiting until it is ready.",
  access: "key",
  successes: [...fileSuccesses("image/png"), asksAgain],
  problems: ["invalid_request", "not_found", "gone", "range_not_satisfiable"],
  respond: async (call) => {
    const file = await getPreview(call.context, call.principal, { id: call.id, waitMs: heldForFormerMs });
    if (file === null) return { status: 202, headers: { "x-ms-delay": "1000" }, body: [] };
    return pictureAnswer(call, file);
  },
};

function pictureAnswer(call: Call, { subject, png }: PreviewFile): HttpResponse {
  const version = createHash("sha256").update(png).digest("hex").slice(0, 32);
  return fileResponse(call, {
    content: png,
    contentType: "image/png",
    fileName: `${subject.client.label}.png`,
    version,
  });
}

/** `POST /api/messages/:id/screenshots`: generates previews of a mail. */
const generatePreviewsRoute: KeyRoute = {
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
const generateFormerPreviewsRoute: KeyRoute = {
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

/** Routes of previews, for current libraries and for those before 2026. */
export const previewRoutes: readonly KeyRoute[] = [
  listEmailClientsRoute,
  generatePreviewsRoute,
  getPreviewRoute,
  listFormerClientsRoute,
  generateFormerPreviewsRoute,
  getFormerPreviewRoute,
];
