import type { KeyRoute } from "../../route.ts";
import { getDeliverabilityRoute } from "./get-deliverability.ts";
import { getSpamAnalysisRoute } from "./get-spam-analysis.ts";
import { lintMessageRoute } from "./lint-message.ts";

/** Routes below `/api/analysis`. */
export const analysisRoutes: readonly KeyRoute[] = [getSpamAnalysisRoute, getDeliverabilityRoute, lintMessageRoute];
