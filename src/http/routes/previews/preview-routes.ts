import { keyRoute } from "../rows.ts";
import type { Call, KeyRoute } from "../../route.ts";
import { generatePreviews, getPreview, listEmailClients } from "../../../operations/previews/previews.ts";
import type { PreviewFile } from "../../../operations/previews/previews.ts";
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
import { listOf } from "../../../core/schema.ts";
import { createHash } from "node:crypto";
import type { HttpResponse } from "../../http-response.ts";
import { fileResponse, fileSuccesses } from "../../files/file-response.ts";

/** Longest wait for a preview before the client is asked to retry, in milliseconds. */
const heldMs = 1000;
/** Longest wait for libraries before 2026, which do not retry; rendering ends long before. */
const heldForFormerMs = 110_000;

const asksAgain = {
  status: 202,
  description: "The preview is not ready; retry later.",
  headers: { "x-ms-delay": "Milliseconds to wait before the retry." },
} as const;

/** Returns a route of the image of a preview, which waits for it for `waitMs`. */
function pictureRoute(operationId: string, path: string, { summary, waitMs }: { summary: string; waitMs: number }) {
  return keyRoute(operationId, `GET ${path}`, {
    summary,
    returns: [...fileSuccesses("image/png"), asksAgain],
    problems: ["invalid_request", "gone", "range_not_satisfiable"],
    respond: async (call) => {
      const file = await getPreview(call.context, call.principal, { id: call.id, waitMs });
      if (file === null) return { status: 202, headers: { "x-ms-delay": "1000" }, body: [] };
      return pictureAnswer(call, file);
    },
  });
}

function pictureAnswer(call: Call, { subject, png }: PreviewFile): HttpResponse {
  const version = createHash("sha256").update(png).digest("hex").slice(0, 32);
  return fileResponse(call, {
    content: png,
    contentType: "image/png",
    fileName: `${subject.client.label}.png`,
    version,
  });
}

/** Routes of previews, for current libraries and for those before 2026. */
export const previewRoutes: readonly KeyRoute[] = [
  keyRoute("listEmailClients", "GET /api/screenshots/clients", {
    summary: "List the email clients of previews, and the emulated features of each.",
    returns: ["The email clients.", listOf(emailClientSchema)],
    run: async ({ context }) => toWireClients(await listEmailClients(context)),
  }),
  keyRoute("generatePreviews", "POST /api/messages/:id/screenshots", {
    summary: "Generate previews of a mail in several email clients.",
    permission: "read",
    body: previewRequestSchema,
    required: ["emailClients"],
    returns: ["The previews, ready or not.", listOf(previewSchema)],
    run: async ({ context, principal, id }, body) =>
      generatePreviews(context, principal, { id, wanted: requestedPreviews(body), listField: "emailClients" }),
  }),
  pictureRoute("getPreview", "/api/files/screenshots/:id", {
    summary: "Fetch the image of a preview, which is generated on demand.",
    waitMs: heldMs,
  }),
  keyRoute("listFormerEmailClients", "GET /api/previews/clients", {
    summary: "List the email clients in the form of libraries before 2026.",
    returns: ["The email clients.", listOf(formerClientSchema)],
    run: async ({ context }) => toFormerClients(await listEmailClients(context)),
  }),
  keyRoute("generateFormerPreviews", "POST /api/messages/:id/previews", {
    summary: "Generate previews of a mail, for libraries before 2026.",
    permission: "read",
    body: formerRequestSchema,
    required: ["previews"],
    returns: ["The previews, ready or not.", listOf(previewSchema)],
    run: async ({ context, principal, id }, body) =>
      generatePreviews(context, principal, { id, wanted: legacyRequestedPreviews(body), listField: "previews" }),
  }),
  pictureRoute("getFormerPreview", "/api/files/previews/:id", {
    summary: "Fetch the image of a preview, waiting until it is ready.",
    waitMs: heldForFormerMs,
  }),
];
