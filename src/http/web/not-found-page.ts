import type { IncomingMessage } from "node:http";
import type { HttpResponse } from "../http-response.ts";
import { assetResponse } from "./page-response.ts";
import type { WebUi } from "./web-ui.ts";

/** Paths whose errors are JSON for browsers, too. */
const machinePaths = /^\/(?:api|web|assets|docs|providers|mcp|openapi|metrics|healthz|readyz)(?:[/.?]|$)/;

/**
 * Returns 404 with the page of the web UI, which says that there is no such page, when a browser opens an unknown path;
 * null for all other requests.
 */
export async function notFoundPage(
  web: WebUi | null,
  { method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
): Promise<HttpResponse | null> {
  if ((method !== "GET" && method !== "HEAD") || !url.startsWith("/") || machinePaths.test(url)) return null;
  const mode = headers["sec-fetch-mode"];
  if (mode === undefined ? !(headers.accept ?? "").includes("text/html") : mode !== "navigate") return null;
  const asset = await web?.assets.find("index.html");
  return asset === undefined ? null : { ...assetResponse({ headers }, asset, "no-cache"), status: 404 };
}
