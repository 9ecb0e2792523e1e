import { getCompatibility } from "../../../operations/checks/analyses.ts";
import { readConversation } from "../../../operations/messages/read-conversation.ts";
import { previewImage, showHtml } from "../../../operations/messages/show-html.ts";
import { getMessage } from "../../../operations/services/reading/get-message.ts";
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

/** `GET /web/messages/:id/compatibility`: features of the mail's HTML that email clients lack; null without HTML. */
export const compatibilityRoute: KeyRoute = {
  method: "GET",
  path: "/web/messages/:id/compatibility",
  operationId: null,
  summary: "Compare the HTML of a message with the features of email clients.",
  access: "key",
  successes: [{ status: 200, description: "The comparison." }],
  problems: ["not_found", "unavailable"],
  respond: async (call) => jsonResponse(await getCompatibility(withSignal(call), call.principal, call.id)),
};

/** `GET /web/messages/:id/html?remote=&dark=&print=`: the mail's HTML, rewritten, as a page without scripts. */
export const mailPageRoute: KeyRoute = {
  method: "GET",
  path: "/web/messages/:id/html",
  operationId: null,
  summary: "Show the HTML of a message.",
  access: "key",
  successes: [{ status: 200, description: "The page.", contentType: "text/html" }],
  problems: ["not_found", "unavailable"],
  respond: async (call) => {
    const isChosen = (name: string): boolean => call.query.get(name) === "1";
    const choices = { isRemoteAllowed: isChosen("remote"), isDark: isChosen("dark"), isPrinted: isChosen("print") };
    const request = { id: call.id, isRemoteAllowed: choices.isRemoteAllowed, isDark: choices.isDark };
    const html = await showHtml(withSignal(call), call.principal, request);
    const printed = choices.isPrinted ? await getMessage(call.context, call.principal, call.id) : undefined;
    const page = mailPage(html, choices, printed);
    return { status: 200, headers: mailPageHeaders(choices), body: [Buffer.from(page, "utf8")] };
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
