/** Pages and files of the web UI, and the rules that browsers hold them to. */
import type { HttpResponse, HttpResponseHeaders } from "../http-response.ts";
import type { Call } from "../route.ts";
import type { Asset } from "./assets.ts";

/**
 * Our own pages run our own script and nothing else, ask nobody else for anything, and are shown in nobody's frame. The
 * frames in them may go nowhere but here, so that no mail leads its frame away (CSP 3 §6.6).
 */
export const pageHeaders: HttpResponseHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};

/** 200 with a file, compressed where the browser takes that. `cacheControl` as RFC 9111 §5.2 has it. */
export function assetResponse(call: Call, asset: Asset, cacheControl: string): HttpResponse {
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
