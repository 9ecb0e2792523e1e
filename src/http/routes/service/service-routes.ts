import { accountRoute } from "../rows.ts";
import { mcpRoute } from "../../mcp/mcp-endpoint.ts";
import type { OpenRoute, Route, KeyRoute } from "../../route.ts";
import { requireAccount } from "../../../operations/services/security/access.ts";
import { jsonType, textResponse } from "../../http-response.ts";
import { statusSchema, toWireStatus, quarantineRetrySchema, quarantineSchema } from "../../wire/status-schema.ts";
import { Problem } from "../../../core/errors.ts";
import { quarantineListCountMax } from "../../../core/quarantine.ts";
import { listQuarantined, retryQuarantined } from "../../../operations/account/account.ts";
import { auditedAct, replayedCount } from "../../audit.ts";
import { listResponse } from "../../lists/page-response.ts";
import { replayedSchema } from "../../../operations/callbacks/delivery-schema.ts";
import { listOf } from "../../../core/schema.ts";
import { isPolicyHost, mtaStsPath } from "../../../core/mta-sts.ts";
import { hostName } from "../../host-guard.ts";

/** MTA-STS policy (RFC 8461 §3.3), at the host names of the mail domain and of those below it only. */
const mtaStsRoute: OpenRoute = {
  method: "GET",
  path: mtaStsPath,
  operationId: null,
  summary:
    "Read the MTA-STS policy of a mail domain, at the host `mta-sts.<mail domain>`, or `mta-sts.` and a domain below it.",
  access: "open",
  successes: [{ status: 200, description: "The policy.", contentType: "text/plain" }],
  problems: ["not_found"],
  respond: ({ context, headers }) => {
    const { mtaSts } = context.settings;
    if (mtaSts === null || !isPolicyHost(hostName(headers.host ?? "") ?? "", mtaSts)) throw new Problem("not_found");
    return textResponse(mtaSts.text, "text/plain; charset=utf-8");
  },
};

const quarantinePath = "/api/quarantine";

/** Routes of the work that is not attempted again because it ended the process. */
const quarantineRoutes: readonly KeyRoute[] = [
  accountRoute("listQuarantine", `GET ${quarantinePath}`, {
    summary: "List the work that is not attempted again because it ended the process or worker twice.",
    returns: [
      `At most ${quarantineListCountMax.toLocaleString("en")} pieces of work; the next ones follow when these are retried.`,
      listOf(quarantineSchema),
      { headers: { "x-total-count": "How many pieces of work there are." } },
    ],
    respond: async (call) => {
      const { works, total } = await listQuarantined(call.context, call.principal);
      const response = listResponse(call, works);
      return { ...response, headers: { ...response.headers, "x-total-count": String(total) } };
    },
  }),
  accountRoute("retryQuarantine", `POST ${quarantinePath}/retry`, {
    summary: "Attempt quarantined work again.",
    body: quarantineRetrySchema,
    audit: (_call, response) => auditedAct("quarantine.retry", { details: { count: replayedCount(response) } }),
    returns: ["The number of pieces of work.", replayedSchema],
    run: async ({ context, principal }, request) => ({ replayed: await retryQuarantined(context, principal, request) }),
  }),
];

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

/** Key authorizations by token, of this node or of all nodes. */
interface ChallengeAnswers {
  readonly get: (token: string) => Promise<string | undefined> | string | undefined;
}

/**
 * Returns the route of the listener at which a certificate authority verifies control of host names (HTTP-01, RFC 8555 §8.3). It
 * has no other.
 */
export function acmeChallengeRoute(answers: ChallengeAnswers): OpenRoute {
  return {
    method: "GET",
    path: "/.well-known/acme-challenge/:token",
    operationId: null,
    summary: "Prove control of a host name to a certificate authority.",
    access: "open",
    successes: [{ status: 200, description: "The key authorization.", contentType: "application/octet-stream" }],
    problems: ["not_found"],
    respond: async ({ params }) => {
      const answer = await answers.get(params["token"] ?? "");
      if (answer === undefined) throw new Problem("not_found");
      return textResponse(answer, "application/octet-stream");
    },
  };
}
