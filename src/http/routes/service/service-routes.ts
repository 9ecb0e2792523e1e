import type { OpenRoute } from "../../route.ts";
import { healthzRoute } from "./healthz.ts";
import { metricsRoute } from "./metrics.ts";
import { openApiRoute } from "./openapi.ts";
import { readyzRoute } from "./readyz.ts";

/** The routes outside `/api`: how the service is, and what it can do. */
export const serviceRoutes: readonly OpenRoute[] = [healthzRoute, readyzRoute, metricsRoute, openApiRoute];
