import type { KeyRoute } from "../route.ts";
import { listAuditRoute } from "./audit/list-audit.ts";
import { deviceRoutes } from "./devices/device-routes.ts";
import { keyRoutes } from "./keys/key-routes.ts";
import { peopleRoutes } from "./people/people-routes.ts";
import { teamLimitRoutes } from "./people/team-limit-routes.ts";
import { usageRoutes } from "./usage/usage-routes.ts";

/** Routes of what belongs to the account, to users and to teams. */
export const accountRoutes: readonly KeyRoute[] = [
  ...deviceRoutes,
  ...usageRoutes,
  ...keyRoutes,
  ...peopleRoutes,
  ...teamLimitRoutes,
  listAuditRoute,
];
