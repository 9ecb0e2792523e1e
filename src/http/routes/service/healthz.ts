import { Problem } from "../../../core/errors.ts";
import { textResponse } from "../../http-response.ts";
import type { OpenRoute } from "../../route.ts";

/** `GET /healthz`: whether the process lives. */
export const healthzRoute: OpenRoute = {
  method: "GET",
  path: "/healthz",
  operationId: "getHealth",
  summary: "Tell whether the process lives.",
  access: "open",
  successes: [{ status: 200, description: "It does.", contentType: "text/plain" }],
  problems: ["unavailable"],
  respond: (call) => {
    if (!call.service.live()) throw new Problem("unavailable");
    return textResponse("ok\n", "text/plain; charset=utf-8");
  },
};
