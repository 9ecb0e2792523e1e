import { listHeld } from "../../../operations/scheduled/list-held.ts";
import { listResponse } from "../../lists/page-response.ts";
import { pageParameters } from "../../lists/page-request.ts";
import type { KeyRoute } from "../../route.ts";
import { heldSchema } from "../../wire/held-schema.ts";
import { decodePage, nextPageUrl } from "../../wire/page-query.ts";
import { listOf } from "../../wire/schema.ts";

/** `GET /api/servers/:id/held`: messages that are accepted and not visible yet, the next one first. */
export const listHeldRoute: KeyRoute = {
  method: "GET",
  path: "/api/servers/:id/held",
  operationId: "listHeld",
  summary: "List the messages of a server that are accepted and not visible yet, the next one first.",
  access: "key",
  query: pageParameters.filter(({ name }) => name === "page" || name === "itemsPerPage"),
  successes: [
    {
      status: 200,
      description: "A page of held messages.",
      schema: listOf(heldSchema),
      headers: { link: 'URL of the next page with `rel="next"` (RFC 8288), where there is one.' },
    },
  ],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const page = decodePage(call.query, { limits: call.context.limits, ignoresUnknownDirection: false });
    const { held, hasMore } = await listHeld(call.context, call.principal, { server: call.id, ...page });
    const response = listResponse(call, held);
    if (!hasMore) return response;
    const link = `<${nextPageUrl(call.path, call.query, page)}>; rel="next"`;
    return { ...response, headers: { ...response.headers, link } };
  },
};
