import { Problem } from "../../../core/errors.ts";
import type { HttpResponse } from "../../http-response.ts";
import type { Call, OpenRoute } from "../../route.ts";
import { assetResponse } from "../page-response.ts";

/** Paths of the web UI, whose router chooses the view; `*` at the end stands for any path below. */
export const pagePaths: readonly string[] = [
  "/",
  "/servers",
  "/servers/*",
  "/search",
  "/keys",
  "/addresses",
  "/numbers",
  "/phrases",
  "/devices",
  "/usage",
  "/service-faults",
  "/audit",
  "/status",
];

/** Page of the web UI, at all of its paths. It contains no data, so it needs no key. */
export const pageRoutes: readonly OpenRoute[] = pagePaths.map((path) => ({
  method: "GET",
  path,
  operationId: null,
  summary: "Show the web UI.",
  access: "open",
  successes: [{ status: 200, description: "The page.", contentType: "text/html" }],
  problems: ["not_found"],
  respond: async (call) => fileOfUi(call, "index.html", "no-cache"),
}));

/** Scripts and styles of the web UI, whose names change with their content. */
export const assetRoute: OpenRoute = {
  method: "GET",
  path: "/assets/*",
  operationId: null,
  summary: "Fetch a file of the web UI.",
  access: "open",
  successes: [{ status: 200, description: "The file." }],
  problems: ["not_found"],
  respond: async (call) => fileOfUi(call, call.path.slice(1), "public, max-age=31536000, immutable"),
};

async function fileOfUi(call: Call, name: string, cacheControl: string): Promise<HttpResponse> {
  const asset = await call.web?.assets.find(name);
  if (asset === undefined) {
    throw new Problem("not_found", {
      text: "Not found; in a checkout, build the web UI with npm run build",
    });
  }
  return assetResponse(call, asset, cacheControl);
}
