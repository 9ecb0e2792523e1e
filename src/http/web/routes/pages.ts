import { fileURLToPath } from "node:url";
import { Problem } from "../../../core/errors.ts";
import { type HttpResponse, textResponse } from "../../http-response.ts";
import type { Call, OpenRoute } from "../../route.ts";
import { openAssets } from "../assets.ts";
import { assetResponse, pageHeaders } from "../page-response.ts";

/** Paths of the web UI, whose router chooses the view; `*` at the end stands for any path below. */
export const pagePaths: readonly string[] = [
  "/",
  "/servers",
  "/servers/*",
  "/search",
  "/keys",
  "/users",
  "/users/*",
  "/teams",
  "/teams/*",
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

// Interactive API reference at `/docs`. The only file that uses Swagger UI.

/** Folder that `scripts/build-reference.ts` fills; read when the page is first opened. */
const files = openAssets(fileURLToPath(new URL("../../../../dist/reference", import.meta.url)));
const served = new Set(["swagger-ui-bundle.js", "swagger-ui.css"]);

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>restante API reference</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="docs/swagger-ui.css" />
  </head>
  <body>
    <main id="reference"></main>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/**
 * `validatorUrl: null` stops the page from sending the document to an external validator. Swagger UI 5 shows only the first
 * tags when more than some 130 operations are expanded at once, so tags begin closed.
 */
const script = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
});
`;

const common = { method: "GET", operationId: null, access: "open", problems: ["not_found"] } as const;

/** `GET /docs` and its files. They contain no data, so they need no key. */
export const referenceRoutes: readonly OpenRoute[] = [
  {
    ...common,
    path: "/docs",
    summary: "Show the interactive API reference.",
    successes: [{ status: 200, description: "The page.", contentType: "text/html" }],
    respond: () => ownResponse(page, "text/html; charset=utf-8"),
  },
  {
    ...common,
    path: "/docs/*",
    summary: "Fetch a file of the interactive API reference.",
    successes: [{ status: 200, description: "The file." }],
    respond: async (call) => {
      const name = call.path.slice("/docs/".length);
      return name === "start.js" ? ownResponse(script, "text/javascript; charset=utf-8") : fileResponse(call, name);
    },
  },
];

function ownResponse(text: string, contentType: string): HttpResponse {
  const response = textResponse(text, contentType);
  return { ...response, headers: { ...pageHeaders, "cache-control": "no-cache", ...response.headers } };
}

async function fileResponse(call: Call, name: string): Promise<HttpResponse> {
  const asset = served.has(name) ? await files.find(name) : undefined;
  if (asset === undefined) {
    throw new Problem("not_found", { text: "Not found; in a checkout, build the API reference with npm run build" });
  }
  return assetResponse(call, asset, "no-cache");
}
