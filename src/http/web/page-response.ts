/** Pages and files of the web UI, and their security headers. */
import type { IncomingMessage } from "node:http";
import type { HttpResponse, HttpResponseHeaders } from "../http-response.ts";
import type { Call } from "../route.ts";
import type { Asset, WebUi } from "./assets.ts";

/**
 * Headers of pages of the web UI: they run only scripts of their own, load nothing from elsewhere and cannot be framed.
 * Frames in them stay on this origin, so that no mail navigates its frame away (CSP 3 §6.6).
 */
export const pageHeaders: HttpResponseHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};

/** Returns 200 with a file, compressed when the browser accepts it. `cacheControl` is as in RFC 9111 §5.2. */
export function assetResponse(
  call: Pick<Call, "headers">,
  asset: Asset,
  cacheControl: string,
): HttpResponse & { readonly headers: HttpResponseHeaders } {
  const isCompressed = /\bgzip\b/.test(call.headers["accept-encoding"] ?? "");
  return {
    status: 200,
    headers: {
      ...pageHeaders,
      "content-type": asset.contentType,
      "cache-control": cacheControl,
      vary: "accept-encoding",
      ...(isCompressed && { "content-encoding": "gzip" }),
    },
    body: [isCompressed ? asset.gzip : asset.bytes],
  };
}

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
