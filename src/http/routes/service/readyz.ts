import { Problem } from "../../../core/errors.ts";
import { textResponse } from "../../http-response.ts";
import type { OpenRoute } from "../../route.ts";

/** `GET /readyz`: whether the service can receive mail and serve requests. */
export const readyzRoute: OpenRoute = {
  method: "GET",
  path: "/readyz",
  operationId: "getReadiness",
  summary: "Check whether the store responds, the listeners are open, and background tasks succeed.",
  access: "open",
  successes: [
    {
      status: 200,
      description: "`ready`, or `degraded` and a line for each background task whose failure affects users.",
      contentType: "text/plain",
    },
  ],
  problems: ["unavailable"],
  respond: async (call) => {
    if (!(await call.service.ready())) throw new Problem("unavailable");
    const degraded = call.service.taskStates().filter(({ degrades }) => degrades !== null);
    const lines = degraded.map(({ task, degrades }) => `${task}: ${degrades ?? ""}\n`);
    const text = lines.length === 0 ? "ready\n" : `degraded\n${lines.join("")}`;
    return textResponse(text, "text/plain; charset=utf-8");
  },
};
