import { Problem } from "../../../core/errors.ts";
import { textAnswer } from "../../answer.ts";
import type { OpenRoute } from "../../route.ts";

/** `GET /readyz`: whether mail can come in and requests can be answered now. */
export const readyzRoute: OpenRoute = {
  method: "GET",
  path: "/readyz",
  operationId: "getReadiness",
  summary: "Tell whether the store answers and the listeners are open.",
  access: "open",
  successes: [{ status: 200, description: "They do.", contentType: "text/plain" }],
  problems: ["unavailable"],
  answer: async (call) => {
    if (!(await call.service.ready())) throw new Problem("unavailable");
    return textAnswer("ready\n", "text/plain; charset=utf-8");
  },
};
