import { createHash } from "node:crypto";
import { getPreview, type PreviewFile } from "../../../operations/previews/get-preview.ts";
import type { HttpResponse } from "../../http-response.ts";
import { fileResponse } from "../../files/file-response.ts";
import { fileSuccesses } from "../../files/successes.ts";
import type { Call, KeyRoute } from "../../route.ts";

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
export const getPreviewRoute: KeyRoute = {
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
export const getFormerPreviewRoute: KeyRoute = {
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
