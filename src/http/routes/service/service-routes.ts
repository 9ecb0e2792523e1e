import { accountRoute } from "../rows.ts";
import { mcpRoute } from "../../mcp/mcp-endpoint.ts";
import type { OpenRoute, Route } from "../../route.ts";
import { mtaStsRoute } from "./mta-sts-route.ts";
import { quarantineRoutes } from "../quarantine/quarantine-routes.ts";
import { requireAccount } from "../../../operations/services/security/access.ts";
import { jsonType, textResponse } from "../../http-response.ts";
import { statusSchema, toWireStatus } from "../../wire/status-schema.ts";
import { Problem } from "../../../core/errors.ts";

/** `GET /readyz`: whether the service can receive mail and serve requests. */
const readyzRoute: OpenRoute = {
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

/** `GET /openapi.json`: the API as an OpenAPI 3.1 document. It contains no data, so it needs no key. */
const openApiRoute: OpenRoute = {
  method: "GET",
  path: "/openapi.json",
  operationId: "getOpenApiDocument",
  summary: "Retrieve the OpenAPI 3.1 document of this API.",
  access: "open",
  successes: [{ status: 200, description: "The document." }],
  problems: [],
  respond: async (call) => {
    const document = await call.openApiJson();
    return { status: 200, headers: { "content-type": jsonType }, body: [document] };
  },
};

/** `GET /metrics`: metrics for Prometheus. */
const metricsRoute: OpenRoute = {
  method: "GET",
  path: "/metrics",
  operationId: "getMetrics",
  summary: "Read the metrics in the Prometheus text format.",
  access: "local",
  successes: [{ status: 200, description: "The metrics.", contentType: "text/plain" }],
  problems: [],
  respond: async (call) => textResponse(await call.service.metricsText(), "text/plain; version=0.0.4; charset=utf-8"),
};

/** `GET /healthz`: whether the process is alive. */
const healthzRoute: OpenRoute = {
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

/** Routes about the service itself. */
export const serviceRoutes: readonly Route[] = [
  accountRoute("getStatus", "GET /api/status", {
    summary: "Read the state of every background task.",
    returns: ["The state.", statusSchema],
    run: (call) => {
      requireAccount(call.principal);
      return toWireStatus(call.service.taskStates());
    },
  }),
  ...quarantineRoutes,
  mtaStsRoute,
  healthzRoute,
  readyzRoute,
  metricsRoute,
  openApiRoute,
  mcpRoute,
];
