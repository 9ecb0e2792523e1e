import { jsonResponse } from "../../http-response.ts";
import { webRoute } from "../../routes/rows.ts";
import { invalidField, Problem } from "../../../core/errors.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { countUnread } from "../../../operations/marks/marks.ts";
import { deleteMessages } from "../../../operations/messages/delete-messages.ts";
import { getTimings } from "../../../operations/services/reading/get-message.ts";
import { countMatches, type CountRequest } from "../../../operations/messages/list-messages.ts";
import { getOptionalSettings } from "../../../operations/servers/servers.ts";
import { auditedAct, deletedCount } from "../../audit.ts";
import { pageParameters, queryParameters, requestedList, requestedQuery } from "../../lists/page-request.ts";
import type { KeyCall, Route } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { build, schemaOf } from "../../../core/schema.ts";
import { criteriaSchema } from "../../../core/criteria.ts";
import type { WireCount, WireTicket, WireUnread } from "../../wire/web-schema.ts";
import { isTicketTarget, readSession } from "../sessions.ts";
import { compatibilityRoute, conversationRoute, imageRoute, mailPageRoute, traceRoute } from "./mail.ts";
import { issuerRoutes } from "./issuers.ts";
import { assetRoute, pageRoutes, referenceRoutes } from "./pages.ts";
import {
  closeSessionRoute,
  diskRoute,
  excerptsRoute,
  getSessionRoute,
  openSessionRoute,
  passagesRoute,
  signInLinkRoute,
} from "./session.ts";

const ticketRequestSchema = schemaOf<{ readonly url: string }>()(build.object({ url: build.string() }));

/** Most messages of a request. */
const idCountMax = 1000;

const requestSchema = schemaOf<{ readonly ids: readonly string[] }>()(
  build.object({ ids: build.array(build.string()) }),
);

const listParameters: readonly string[] = ["server", "receivedAfter", "dir"];

/** Decodes parameters and body; throws a 400 that names every wrong field of both. */
function decodeCount(call: KeyCall): CountRequest {
  const errors = new FieldCollector();
  const list = errors.collect(() => requestedList(call));
  const criteria = errors.collect(() => decodeBody(criteriaSchema, call.body));
  const query = errors.collect(() => requestedQuery(call, undefined));
  errors.finish();
  if (list === undefined || criteria === undefined || query === undefined) {
    throw new Error("a field failed without a field error");
  }
  return { ...list, criteria: { match: "ALL", ...criteria }, query, signal: call.signal() };
}

/** Routes of the web UI: its pages, its sign-in, and requests of its own. */
export const webRoutes: readonly Route[] = [
  ...pageRoutes,
  assetRoute,
  ...referenceRoutes,
  openSessionRoute,
  signInLinkRoute,
  getSessionRoute,
  closeSessionRoute,
  diskRoute,
  ...issuerRoutes,
  webRoute("POST /web/tickets", {
    summary: "Sign a URL for frames, images and downloads.",
    permission: "read",
    body: ticketRequestSchema,
    returns: [{ status: 200, description: "The signed URL; it opens for five minutes." }],
    problems: ["not_found"],
    run: (call, { url }) => {
      const session = readSession(call.headers);
      if (call.web === null || session === undefined) throw new Problem("not_found");
      if (!isTicketTarget(url)) throw invalidField("url", "Must be the path of a file, an image or a mail's page");
      const ticket: WireTicket = { url: call.web.sessions.signTarget(session, url) };
      return ticket;
    },
  }),
  excerptsRoute,
  passagesRoute,
  webRoute("POST /web/servers/:id/deletions", {
    summary: "Delete messages of a server by their ids.",
    body: requestSchema,
    audit: (call, response) =>
      auditedAct("message.delete_matching", { server: call.id, details: { deleted: deletedCount(response) } }),
    returns: [{ status: 200, description: "The number of deleted messages, and the ids of those that failed." }],
    run: async (call, { ids }) => {
      if (ids.length > idCountMax) throw invalidField("ids", `At most ${String(idCountMax)} ids`);
      const request = { server: call.id, ids, signal: call.signal() };
      return deleteMessages(call.context, call.principal, request);
    },
  }),
  traceRoute,
  conversationRoute,
  compatibilityRoute,
  webRoute("GET /web/servers/:id/timings", {
    summary: "Fetch the latencies of the newest mails.",
    returns: [{ status: 200, description: "The times, oldest mail first." }],
    run: async ({ context, principal, id }) => getTimings(context, principal, id),
  }),
  webRoute("GET /web/servers/:id/optional-settings", {
    summary: "Fetch the link scanner and the DNS zone of a server.",
    returns: [{ status: 200, description: "The settings; null for those that the server does not have." }],
    run: async ({ context, principal, id }) => getOptionalSettings(context, principal, id),
  }),
  webRoute("GET /web/servers/:id/unread", {
    summary: "Count the unread messages of a server.",
    returns: [{ status: 200, description: "The number." }],
    run: async ({ context, principal, id }) => {
      const unread: WireUnread = { unread: await countUnread(context, principal, id) };
      return unread;
    },
  }),
  webRoute("POST /web/count", {
    summary: "Count the messages of a list or a search, at most 10,000.",
    permission: "read",
    query: [...pageParameters.filter(({ name }) => listParameters.includes(name)), ...queryParameters],
    body: criteriaSchema,
    returns: [{ status: 200, description: "The number." }],
    respond: async (call) => {
      const counted: WireCount = await countMatches(call.context, call.principal, decodeCount(call));
      return jsonResponse(counted);
    },
  }),
  mailPageRoute,
  imageRoute,
];
