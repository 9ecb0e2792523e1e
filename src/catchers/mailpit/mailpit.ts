/** API version 1 of Mailpit (https://mailpit.axllent.org). */
import { textResponse, type HttpResponse } from "../../http/http-response.ts";
import type { Problem } from "../../core/errors.ts";
import type { Catcher, UnmatchedRequest } from "../catcher.ts";
import { plainResponse } from "../responses.ts";
import { applicationRoutes, probeRoutes } from "./application.ts";
import { changeRoutes } from "./change-messages.ts";
import { chaosRoutes } from "./chaos.ts";
import { checkRoutes } from "./checks.ts";
import { streamEvents } from "./events.ts";
import { messageRoutes } from "./get-message.ts";
import { listRoutes } from "./list-messages.ts";
import { partRoutes } from "./read-parts.ts";
import { sendRoutes } from "./send.ts";
import { tagRoutes } from "./tags.ts";
import { viewRoutes } from "./view.ts";

const notFoundText = "404 page not found";

/** Mailpit. */
export const mailpit: Catcher = {
  name: "mailpit",
  routes: [
    ...applicationRoutes,
    ...probeRoutes,
    ...listRoutes,
    ...changeRoutes,
    ...messageRoutes,
    ...partRoutes,
    ...checkRoutes,
    ...tagRoutes,
    ...chaosRoutes,
    ...sendRoutes,
    ...viewRoutes,
  ],
  socket: { path: "/api/events", permission: "read", open: streamEvents },
  pages: ["/search"],
  respondUnmatched,
  toErrorBody: (problem, detail) => plainResponse(problem.row.status, textOf(problem, detail)),
};

function respondUnmatched({ method, path, allowed }: UnmatchedRequest): HttpResponse {
  if (method === "OPTIONS" && path.startsWith("/api/v1/")) return textResponse("", "text/plain");
  return allowed.length > 0 ? plainResponse(405, "Method Not Allowed\n") : plainResponse(404, notFoundText);
}

function textOf({ code, message }: Problem, detail: string): string {
  if (code === "not_found") return message === "Server not found" ? message : notFoundText;
  return code === "unauthenticated" ? "Unauthorized.\n" : detail;
}
