import { invalidField, Problem } from "../../../core/errors.ts";
import { jsonResponse } from "../../http-response.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { build, schemaOf } from "../../wire/schema.ts";
import type { WireTicket } from "../../wire/web-schema.ts";
import { readSession } from "../session-cookie.ts";
import { isTicketTarget } from "../tickets.ts";

const ticketRequestSchema = schemaOf<{ readonly url: string }>()(build.object({ url: build.string() }));

/** `POST /web/tickets`: signs the URL of a file, an image or a mail's page for the session's own browser. */
export const issueTicketRoute: KeyRoute = {
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
