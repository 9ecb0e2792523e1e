import { Problem } from "../../../core/errors.ts";
import { textResponse } from "../../http-response.ts";
import type { OpenRoute } from "../../route.ts";

/** `GET /healthz`: whether the process is alive. */
export const healthzRoute: OpenRoute = {
  method: "GET",
  path: "/healthz",
  operationId: "getHealth",
  summary: "Check whether the process is alive.",
  access: "open",
  successes: [{ status: 200, description: "The process is alive.", contentType: "text/plain" }],
  problems: ["unavailable"],
  respond: (call) => {
    if (!call.service.live()) throw new Problem("unavailable");
    return textResponse("ok\n", "text/plain; charset=utf-8");
  },
};
