import { listAudit } from "../../../operations/account/account.ts";
import { listResponse } from "../../lists/page-response.ts";
import { pageParameters } from "../../lists/page-request.ts";
import type { KeyRoute } from "../../route.ts";
import { auditEntrySchema, toWireAuditEntry } from "../../wire/account-schema.ts";
import { decodePage, nextPageUrl } from "../../wire/page-query.ts";
import { listOf } from "../../../core/schema.ts";

/** `GET /api/audit`: entries of the audit log, newest first. */
export const listAuditRoute: KeyRoute = {
  method: "GET",
  path: "/api/audit",
  operationId: "listAudit",
  summary: "Read the audit log, newest first.",
  access: "account",
  query: pageParameters.filter(({ name }) => name === "page" || name === "itemsPerPage"),
  successes: [
    {
      status: 200,
      description: "A page of entries.",
      schema: listOf(auditEntrySchema),
      headers: { link: 'URL of the next page with `rel="next"` (RFC 8288), where there is one.' },
    },
  ],
  problems: ["invalid_request"],
  respond: async (call) => {
    const page = decodePage(call.query, { limits: call.context.limits, ignoresUnknownDirection: false });
    const { entries, hasMore } = await listAudit(call.context, call.principal, page);
    const response = listResponse(call, entries.map(toWireAuditEntry));
    if (!hasMore) return response;
    const link = `<${nextPageUrl(call.path, call.query, page)}>; rel="next"`;
    return { ...response, headers: { ...response.headers, link } };
  },
};
