import { createHash } from "node:crypto";
import { getPreview, type PreviewFile } from "../../../operations/get-preview.ts";
import type { HttpResponse } from "../../http-response.ts";
import { fileResponse } from "../../files/file-response.ts";
import { fileSuccesses } from "../../files/successes.ts";
import type { Call, KeyRoute } from "../../route.ts";

/** How long a preview is waited for before the caller is told to ask again. */
const heldMs = 1000;
/** The older libraries ask once; renderings end long before. */
const heldForFormerMs = 110_000;

const asksAgain = {
  status: 202,
  description: "It is not ready yet: ask again.",
  headers: { "x-ms-delay": "Milliseconds until then." },
} as const;

/** `GET /api/files/screenshots/:id`: the picture, as soon as it is there. */
export const getPreviewRoute: KeyRoute = {
  method: "GET",
  path: "/api/files/screenshots/:id",
  operationId: "getPreview",
  summary: "Fetch a preview; one that is not there yet is made.",
  access: "key",
  successes: [...fileSuccesses("image/png"), asksAgain],
  problems: ["invalid_request", "not_found", "gone", "range_not_satisfiable"],
  respond: async (call) => {
    const file = await getPreview(call.context, call.principal, { id: call.id, waitMs: heldMs });
    if (file === null) return { status: 202, headers: { "x-ms-delay": "1000" }, body: [] };
    return pictureAnswer(call, file);
  },
};

/** `GET /api/files/previews/:id`: the same for libraries from before 2026, which ask once and take what comes. */
export const getFormerPreviewRoute: KeyRoute = {
  method: "GET",
  path: "/api/files/previews/:id",
  operationId: "getFormerPreview",
  summary: "Fetch a preview, however long it takes to make.",
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
