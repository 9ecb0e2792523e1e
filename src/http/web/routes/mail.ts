import { readConversation } from "../../../operations/messages/read-conversation.ts";
import { previewImage, showHtml } from "../../../operations/messages/show-html.ts";
import { traceMessage } from "../../../operations/messages/list-messages.ts";
import { jsonResponse } from "../../http-response.ts";
import { type KeyRoute, withSignal } from "../../route.ts";
import { mailPage, mailPageHeaders } from "../mail-page.ts";

/** `GET /web/messages/:id/trace`: session, envelope and structure of a message. */
export const traceRoute: KeyRoute = {
  method: "GET",
  path: "/web/messages/:id/trace",
  operationId: null,
  summary: "Fetch the session, the envelope and the structure of a message.",
  access: "key",
  successes: [{ status: 200, description: "The trace." }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(await traceMessage(withSignal(call), call.principal, call.id)),
};

/** `GET /web/messages/:id/conversation`: the thread of a message, and the phrases that may answer an SMS. */
export const conversationRoute: KeyRoute = {
  method: "GET",
  path: "/web/messages/:id/conversation",
  operationId: null,
  summary: "Fetch the thread of a message.",
  access: "key",
  successes: [{ status: 200, description: "The conversation." }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(await readConversation(withSignal(call), call.principal, call.id)),
};

/** `GET /web/messages/:id/html?remote=&dark=`: the mail's HTML, rewritten, as a page without scripts. */
export const mailPageRoute: KeyRoute = {
  method: "GET",
  path: "/web/messages/:id/html",
  operationId: null,
  summary: "Show the HTML of a message.",
  access: "key",
  successes: [{ status: 200, description: "The page.", contentType: "text/html" }],
  problems: ["not_found", "unavailable"],
  respond: async (call) => {
    const choices = { isRemoteAllowed: call.query.get("remote") === "1", isDark: call.query.get("dark") === "1" };
    const html = await showHtml(withSignal(call), call.principal, { id: call.id, ...choices });
    return { status: 200, headers: mailPageHeaders(choices), body: [Buffer.from(mailPage(html, choices), "utf8")] };
  },
};

/** `GET /web/images/:id`: an attachment as an image that is safe to decode. */
export const imageRoute: KeyRoute = {
  method: "GET",
  path: "/web/images/:id",
  operationId: null,
  summary: "Show an attachment that is an image.",
  access: "key",
  successes: [{ status: 200, description: "The image." }],
  problems: ["not_found"],
  respond: async (call) => {
    const { contentType, bytes } = await previewImage(withSignal(call), call.principal, call.id);
    const headers = {
      "content-type": contentType,
      "content-disposition": "inline",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
    };
    return { status: 200, headers, body: [bytes] };
  },
};
