import { matchesPattern } from "./router.ts";
import type { Route } from "./route.ts";
import { accountRoutes } from "./routes/account-routes.ts";
import { analysisRoutes } from "./routes/analysis/analysis-routes.ts";
import { callbackRoutes } from "./routes/callbacks/callback-routes.ts";
import { streamEventsRoute } from "./routes/events/stream-events.ts";
import { faultRoutes } from "./routes/faults/fault-routes.ts";
import { fileRoutes } from "./routes/files/file-routes.ts";
import { withdrawnRoutes } from "./routes/legacy/withdrawn.ts";
import { messageRoutes } from "./routes/messages/message-routes.ts";
import { serverRoutes } from "./routes/servers/server-routes.ts";
import { previewRoutes } from "./routes/previews/preview-routes.ts";
import { verifiedAddressRoutes } from "./routes/verified-addresses/verified-address-routes.ts";
import { phoneNumberRoutes, smsRoutes } from "./routes/sms/sms-routes.ts";
import { providerRoutes } from "./routes/providers/provider-routes.ts";
import { serviceRoutes } from "./routes/service/service-routes.ts";
import { scimRoutes } from "./scim/scim-routes.ts";
import { webRoutes } from "./web/routes/web-routes.ts";

/**
 * Every route of the service. The server, the OpenAPI document, the reference page and the tests all read this table.
 */
export const routeTable: readonly Route[] = [
  ...messageRoutes,
  streamEventsRoute,
  ...fileRoutes,
  ...serverRoutes,
  ...analysisRoutes,
  ...previewRoutes,
  ...accountRoutes,
  ...verifiedAddressRoutes,
  ...phoneNumberRoutes,
  ...smsRoutes,
  ...callbackRoutes,
  ...faultRoutes,
  ...scimRoutes,
  ...providerRoutes,
  ...serviceRoutes,
  ...withdrawnRoutes,
  ...webRoutes,
];

/**
 * Returns the methods of a path, including HEAD and OPTIONS; empty for an unknown path. A path that the table spells
 * out takes precedence over one with a parameter.
 */
export function allowedMethods(path: string): readonly string[] {
  const trimmed = withoutSlash(path);
  const exact = routeTable.filter((route) => withoutSlash(route.path) === trimmed);
  const matching =
    exact.length > 0 ? exact : mostSpecific(routeTable.filter(({ path: own }) => matchesPattern(own, trimmed)));
  if (matching.length === 0) return [];
  const methods = new Set(matching.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])));
  return [...methods, "OPTIONS"];
}

/** Returns the routes with the fewest parameters. */
function mostSpecific(routes: readonly Route[]): readonly Route[] {
  const parameterCount = ({ path }: Route): number => path.split(/\/:|\/\*/).length;
  const min = Math.min(...routes.map(parameterCount));
  return routes.filter((route) => parameterCount(route) === min);
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
