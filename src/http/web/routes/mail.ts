import { webRoute } from "../../routes/rows.ts";
import { getCompatibility } from "../../../operations/checks/analyses.ts";
import { readConversation } from "../../../operations/messages/read-conversation.ts";
import { previewImage, showHtml } from "../../../operations/messages/show-html.ts";
import { getMessage } from "../../../operations/services/reading/get-message.ts";
import { traceMessage } from "../../../operations/messages/list-messages.ts";
import { type KeyRoute, withSignal } from "../../route.ts";
import { mailPage, mailPageHeaders } from "../mail-page.ts";

/** `GET /web/messages/:id/trace`: session, envelope and structure of a message. */
export const traceRoute: KeyRoute = webRoute("GET /web/messages/:id/trace", {
  summary: "Fetch the session, the envelope and the structure of a message.",
  returns: [{ status: 200, description: "The trace." }],
  run: async (call) => traceMessage(withSignal(call), call.principal, call.id),
});

/** `GET /web/messages/:id/conversation`: the thread of a message, and the phrases that may answer an SMS. */
export const conversationRoute: KeyRoute = webRoute("GET /web/messages/:id/conversation", {
  summary: "Fetch the thread of a message.",
  returns: [{ status: 200, description: "The conversation." }],
  run: async (call) => readConversation(withSignal(call), call.principal, call.id),
});

/** `GET /web/messages/:id/compatibility`: features of the mail's HTML that email clients lack; null without HTML. */
export const compatibilityRoute: KeyRoute = webRoute("GET /web/messages/:id/compatibility", {
  summary: "Compare the HTML of a message with the features of email clients.",
  returns: [{ status: 200, description: "The comparison." }],
  problems: ["unavailable"],
  run: async (call) => getCompatibility(withSignal(call), call.principal, call.id),
});

/** `GET /web/messages/:id/html?remote=&dark=&print=`: the mail's HTML, rewritten, as a page without scripts. */
export const mailPageRoute: KeyRoute = webRoute("GET /web/messages/:id/html", {
  summary: "Show the HTML of a message.",
  returns: [{ status: 200, description: "The page.", contentType: "text/html" }],
  problems: ["unavailable"],
  respond: async (call) => {
    const isChosen = (name: string): boolean => call.query.get(name) === "1";
    const choices = { isRemoteAllowed: isChosen("remote"), isDark: isChosen("dark"), isPrinted: isChosen("print") };
    const request = { id: call.id, isRemoteAllowed: choices.isRemoteAllowed, isDark: choices.isDark };
    const html = await showHtml(withSignal(call), call.principal, request);
    const printed = choices.isPrinted ? await getMessage(call.context, call.principal, call.id) : undefined;
    const page = mailPage(html, choices, printed);
    return { status: 200, headers: mailPageHeaders(choices), body: [Buffer.from(page, "utf8")] };
  },
});

/** `GET /web/images/:id`: an attachment as an image that is safe to decode. */
export const imageRoute: KeyRoute = webRoute("GET /web/images/:id", {
  summary: "Show an attachment that is an image.",
  returns: [{ status: 200, description: "The image." }],
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
});
