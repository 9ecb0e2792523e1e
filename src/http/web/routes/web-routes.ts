import { invalidField, Problem } from "../../../core/errors.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { countUnread } from "../../../operations/marks/marks.ts";
import { deleteMessages } from "../../../operations/messages/delete-messages.ts";
import { getTimings } from "../../../operations/services/reading/get-message.ts";
import { countMatches, type CountRequest } from "../../../operations/messages/list-messages.ts";
import { getOptionalSettings } from "../../../operations/servers/servers.ts";
import { auditedAct, deletedCount } from "../../audit.ts";
import { jsonResponse } from "../../http-response.ts";
import { pageParameters, queryParameters, requestedList, requestedQuery } from "../../lists/page-request.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute, type Route } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { build, schemaOf } from "../../../core/schema.ts";
import { criteriaSchema } from "../../../core/criteria.ts";
import type { WireCount, WireTicket, WireUnread } from "../../wire/web-schema.ts";
import { isTicketTarget, readSession } from "../sessions.ts";
import { compatibilityRoute, conversationRoute, imageRoute, mailPageRoute, traceRoute } from "./mail.ts";
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

/** `POST /web/tickets`: signs the URL of a file, an image or a mail's page for the session's own browser. */
const issueTicketRoute: KeyRoute = {
  method: "POST",
  path: "/web/tickets",
  operationId: null,
  summary: "Sign a URL for frames, images and downloads.",
  access: "key",
  permission: "read",
  body: { schema: ticketRequestSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The signed URL; it opens for five minutes." }],
  problems: ["invalid_request", "not_found"],
  respond: (call) => {
    const { url } = decodeBody(ticketRequestSchema, call.body);
    const session = readSession(call.headers);
    if (call.web === null || session === undefined) throw new Problem("not_found");
    if (!isTicketTarget(url)) throw invalidField("url", "Must be the path of a file, an image or a mail's page");
    const ticket: WireTicket = { url: call.web.sessions.signTarget(session, url) };
    return jsonResponse(ticket);
  },
};

/** `GET /web/servers/:id/unread`: number of received messages of the server without the flag `seen`. */
const unreadRoute: KeyRoute = {
  method: "GET",
  path: "/web/servers/:id/unread",
  operationId: null,
  summary: "Count the unread messages of a server.",
  access: "key",
  successes: [{ status: 200, description: "The number." }],
  problems: ["not_found"],
  respond: async (call) => {
    const unread: WireUnread = { unread: await countUnread(call.context, call.principal, call.id) };
    return jsonResponse(unread);
  },
};

/** `GET /web/servers/:id/timings`: latencies of the server's newest mails, from arrival to their first reader. */
const timingsRoute: KeyRoute = {
  method: "GET",
  path: "/web/servers/:id/timings",
  operationId: null,
  summary: "Fetch the latencies of the newest mails.",
  access: "key",
  successes: [{ status: 200, description: "The times, oldest mail first." }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(await getTimings(call.context, call.principal, call.id)),
};

/**
 * `GET /web/servers/:id/optional-settings`: link scanner and DNS zone of a server, null without them; browsers log the 404 of
 * the documented routes as an error.
 */
const optionalSettingsRoute: KeyRoute = {
  method: "GET",
  path: "/web/servers/:id/optional-settings",
  operationId: null,
  summary: "Fetch the link scanner and the DNS zone of a server.",
  access: "key",
  successes: [{ status: 200, description: "The settings; null for those that the server does not have." }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(await getOptionalSettings(call.context, call.principal, call.id)),
};

/** Most messages of a request. */
const idCountMax = 1000;

const requestSchema = schemaOf<{ readonly ids: readonly string[] }>()(
  build.object({ ids: build.array(build.string()) }),
);

/** `POST /web/servers/:id/deletions`: deletes up to 1000 messages of a server by their ids. */
const deletionsRoute: KeyRoute = {
  method: "POST",
  path: "/web/servers/:id/deletions",
  operationId: null,
  summary: "Delete messages of a server by their ids.",
  access: "key",
  audit: (call, response) =>
    auditedAct("message.delete_matching", { server: call.id, details: { deleted: deletedCount(response) } }),
  body: { schema: requestSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The number of deleted messages, and the ids of those that failed." }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    const { ids } = decodeBody(requestSchema, call.body);
    if (ids.length > idCountMax) throw invalidField("ids", `At most ${String(idCountMax)} ids`);
    const request = { server: call.id, ids, signal: call.signal() };
    return jsonResponse(await deleteMessages(call.context, call.principal, request));
  },
};

const listParameters: readonly string[] = ["server", "receivedAfter", "dir"];

/** `POST /web/count`: number of messages that a list with these parameters, or a search with this body, has on all pages. */
const countRoute: KeyRoute = {
  method: "POST",
  path: "/web/count",
  operationId: null,
  summary: "Count the messages of a list or a search, at most 10,000.",
  access: "key",
  permission: "read",
  query: [...pageParameters.filter(({ name }) => listParameters.includes(name)), ...queryParameters],
  body: { schema: criteriaSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The number." }],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const counted: WireCount = await countMatches(call.context, call.principal, decodeCount(call));
    return jsonResponse(counted);
  },
};

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
  issueTicketRoute,
  excerptsRoute,
  passagesRoute,
  deletionsRoute,
  traceRoute,
  conversationRoute,
  compatibilityRoute,
  timingsRoute,
  optionalSettingsRoute,
  unreadRoute,
  countRoute,
  mailPageRoute,
  imageRoute,
];
