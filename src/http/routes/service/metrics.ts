import { textResponse } from "../../http-response.ts";
import type { OpenRoute } from "../../route.ts";

/** `GET /metrics`: metrics for Prometheus. */
export const metricsRoute: OpenRoute = {
  method: "GET",
  path: "/metrics",
  operationId: "getMetrics",
  summary: "Read the metrics in the Prometheus text format.",
  access: "local",
  successes: [{ status: 200, description: "The metrics.", contentType: "text/plain" }],
  problems: [],
  respond: async (call) => textResponse(await call.service.metricsText(), "text/plain; version=0.0.4; charset=utf-8"),
};
