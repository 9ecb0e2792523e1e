/** API version 1 of Mailpit. */
import { textResponse } from "../../http/http-response.ts";
import type { Peer, UnmatchedRequest } from "../peer.ts";
import { getMessageRoute } from "./get-message.ts";
import { infoRoute } from "./application.ts";
import { listMessagesRoute } from "./list-messages.ts";
import { failure, notFoundResponse, toErrorBody } from "./responses.ts";
import type { HttpResponse } from "../../http/http-response.ts";

/** Mailpit (https://mailpit.axllent.org). */
export const mailpit: Peer = {
  name: "mailpit",
  routes: [infoRoute, listMessagesRoute, getMessageRoute],
  respondUnmatched,
  toErrorBody,
};

/** Responds as Mailpit does; its web UI is that of the service. */
function respondUnmatched({ method, path, allowed, publicUrl }: UnmatchedRequest): HttpResponse {
  if (method === "OPTIONS" && path.startsWith("/api/v1/")) return textResponse("", "text/plain");
  if (allowed.length > 0) {
    const response = failure(405, "Method Not Allowed\n");
    return { ...response, headers: { ...response.headers, allow: allowed.join(", ") } };
  }
  const isPage = (method === "GET" || method === "HEAD") && /^\/(?:search)?$/.test(path);
  return isPage ? { status: 302, headers: { location: `${publicUrl}/` }, body: [] } : notFoundResponse;
}
