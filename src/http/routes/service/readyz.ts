import { Problem } from "../../../core/errors.ts";
import { textResponse } from "../../http-response.ts";
import type { OpenRoute } from "../../route.ts";

/** `GET /readyz`: whether mail can come in and requests can be answered now. */
export const readyzRoute: OpenRoute = {
  method: "GET",
  path: "/readyz",
  operationId: "getReadiness",
  summary: "Tell whether the store answers, the listeners are open, and background work succeeds.",
  access: "open",
  successes: [
    {
      status: 200,
      description: "`ready`, or `degraded` and one line for each background task whose failure users notice.",
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
