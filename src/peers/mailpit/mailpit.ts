/** API version 1 of Mailpit. */
import { textResponse } from "../../http/http-response.ts";
import type { Peer, UnmatchedRequest } from "../peer.ts";
import { streamEvents } from "./events.ts";
import { getMessageRoute } from "./get-message.ts";
import { infoRoute, probeRoutes, webUiRoute } from "./application.ts";
import { deleteMessagesRoute, setReadStatusRoute } from "./change-messages.ts";
import { chaosRoutes } from "./chaos.ts";
import { checkRoutes } from "./checks.ts";
import { listMessagesRoute } from "./list-messages.ts";
import { partRoutes } from "./read-parts.ts";
import { releaseRoute } from "./release.ts";
import { searchRoutes } from "./search.ts";
import { sendRoute } from "./send.ts";
import { tagRoutes } from "./tags.ts";
import { viewRoutes } from "./view.ts";
import { failure, notFoundResponse, toErrorBody } from "./responses.ts";
import type { HttpResponse } from "../../http/http-response.ts";

/** Mailpit (https://mailpit.axllent.org). */
export const mailpit: Peer = {
  name: "mailpit",
  routes: [
    infoRoute,
    webUiRoute,
    ...probeRoutes,
    listMessagesRoute,
    setReadStatusRoute,
    deleteMessagesRoute,
    ...searchRoutes,
    getMessageRoute,
    ...partRoutes,
    releaseRoute,
    ...checkRoutes,
    ...tagRoutes,
    ...chaosRoutes,
    sendRoute,
    ...viewRoutes,
  ],
  socket: { path: "/api/events", permission: "read", open: streamEvents },
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
