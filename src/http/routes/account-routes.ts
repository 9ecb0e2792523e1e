import type { KeyRoute } from "../route.ts";
import { deviceRoutes } from "./devices/device-routes.ts";
import { keyRoutes } from "./keys/key-routes.ts";
import { peopleRoutes } from "./people/people-routes.ts";
import { usageRoutes } from "./usage/usage-routes.ts";
import { accountRoute } from "./rows.ts";
import { listAudit } from "../../operations/account/account.ts";
import { linkedListResponse, nextPageSuccess } from "../lists/page-response.ts";
import { numberedPageParameters } from "../lists/page-request.ts";
import { auditEntrySchema, toWireAuditEntry } from "../wire/account-schema.ts";
import { decodePage, nextPageUrl } from "../wire/page-query.ts";
import { build, listOf } from "../../core/schema.ts";

/** `GET /api/audit`: entries of the audit log, newest first. */
const listAuditRoute: KeyRoute = accountRoute("listAudit", "GET /api/audit", {
  summary: "Read the audit log, newest first.",
  query: [
    ...numberedPageParameters,
    { name: "user", description: "Id of a user: only what it did.", schema: build.string() },
  ],
  returns: ["A page of entries.", listOf(auditEntrySchema), nextPageSuccess],
  respond: async (call) => {
    const page = decodePage(call.query, { limits: call.context.limits, ignoresUnknownDirection: false });
    const user = call.query.get("user");
    const chosen = { ...page, ...(user !== undefined && { user }) };
    const { entries, hasMore } = await listAudit(call.context, call.principal, chosen);
    const next = hasMore && nextPageUrl(call.path, call.query, page);
    return linkedListResponse(call, entries.map(toWireAuditEntry), next);
  },
});

/** Routes of what belongs to the account, to users and to teams. */
export const accountRoutes: readonly KeyRoute[] = [
  ...deviceRoutes,
  ...usageRoutes,
  ...keyRoutes,
  ...peopleRoutes,
  listAuditRoute,
];
