import type { KeyRoute } from "../../route.ts";
import { getUsageLimitsRoute } from "./get-usage-limits.ts";
import { listTransactionsRoute } from "./list-transactions.ts";

/** Routes below `/api/usage`. */
export const usageRoutes: readonly KeyRoute[] = [getUsageLimitsRoute, listTransactionsRoute];
