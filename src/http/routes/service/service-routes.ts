import { mcpRoute } from "../../mcp/mcp-route.ts";
import type { Route } from "../../route.ts";
import { quarantineRoutes } from "../quarantine/quarantine-routes.ts";
import { getStatusRoute } from "./get-status.ts";
import { healthzRoute } from "./healthz.ts";
import { metricsRoute } from "./metrics.ts";
import { openApiRoute } from "./openapi.ts";
import { readyzRoute } from "./readyz.ts";

/** Routes about the service itself. */
export const serviceRoutes: readonly Route[] = [
  getStatusRoute,
  ...quarantineRoutes,
  healthzRoute,
  readyzRoute,
  metricsRoute,
  openApiRoute,
  mcpRoute,
];
