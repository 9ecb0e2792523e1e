import { webRoute } from "../../routes/rows.ts";
import { getCompatibility } from "../../../operations/checks/analyses.ts";
import { readConversation } from "../../../operations/messages/read-conversation.ts";
import { previewImage, showHtml } from "../../../operations/messages/show-html.ts";
import { getMessage } from "../../../operations/services/reading/get-message.ts";
import { traceMessage } from "../../../operations/messages/list-messages.ts";
import { type KeyRoute, withSignal } from "../../route.ts";
import { isolatedHeaders } from "../../files/file-response.ts";
import type { Contact, Message } from "../../../core/message.ts";
import type { HttpResponseHeaders } from "../../http-response.ts";

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
      ...isolatedHeaders,
    };
    return { status: 200, headers, body: [bytes] };
  },
});

/** Options of the reader. */
interface MailPageChoices {
  /** Whether the images, styles and fonts may be loaded from the sender's servers. */
  readonly isRemoteAllowed: boolean;
  /** Whether the mail sees a dark colour scheme. */
  readonly isDark: boolean;
  /** Whether the page is for printing, which the page that embeds it starts; by default it is not. */
  readonly isPrinted?: boolean;
}

/** Fields of a mail that are printed above its text. */
type PrintedHead = Pick<Message, "subject" | "from" | "to" | "cc" | "received">;

const sandbox = "sandbox allow-popups allow-popups-to-escape-sandbox";
/** The embedding page can start printing only in a page of its own origin; without scripts, that gives the mail no power. */
const printSandbox = "sandbox allow-same-origin allow-modals";
const doctype = /^\s*<!doctype[^>]{0,1000}>/i;

/**
 * Returns the header fields of the page. The sandbox gives it an origin of its own, without scripts, forms and
 * navigation of its embedder, even when it is opened outside of a frame; links open in new tabs without an opener. A page for
 * printing has the origin of the service, and no links that open.
 */
export function mailPageHeaders({ isRemoteAllowed, isPrinted = false }: MailPageChoices): HttpResponseHeaders {
  const remote = isRemoteAllowed ? " https: http:" : "";
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      `default-src 'none'; img-src data:${remote}; style-src 'unsafe-inline'${remote}; font-src data:${remote}; ` +
      `media-src data:${remote}; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; ${isPrinted ? printSandbox : sandbox}`,
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-dns-prefetch-control": "off",
  };
}

/**
 * Returns the page for a mail's rewritten HTML, with fields of the mail above it when they are given. The mail's document type
 * stays first, since it determines the layout mode of browsers.
 */
export function mailPage(html: string, { isDark }: MailPageChoices, printed?: PrintedHead): string {
  const own = doctype.exec(html)?.[0] ?? "";
  const scheme = isDark ? "dark" : "light";
  const head = `<base target="_blank"><meta name="color-scheme" content="${scheme}"><style>:root{color-scheme:${scheme}}</style>`;
  return own + head + (printed === undefined ? "" : headOf(printed)) + html.slice(own.length);
}

function headOf({ subject, from, to, cc, received }: PrintedHead): string {
  const rows = { From: named(from), To: named(to), Cc: named(cc), Received: received };
  const lines = Object.entries(rows).filter(([, value]) => value !== "");
  const text = lines.map(([name, value]) => `${name}: ${value}`).join("\n");
  return `<title>${escape(subject)}</title>${block("bold 16pt", subject)}${block("10pt", text)}${block("1pt", " ")}`;
}

function named(contacts: readonly Contact[]): string {
  const texts = contacts.map(({ name, email, phone }) => (name === "" ? "" : `${name} `) + `<${email ?? phone ?? ""}>`);
  return texts.join(", ");
}

/** An element that no style of the mail applies to: declarations of an element that are important win over all others. */
function block(font: string, text: string): string {
  const style = ["all:initial", "display:block", "white-space:pre-wrap", "overflow-wrap:anywhere", "margin:0 0 3mm"];
  const declarations = [...style, "color:#000", `font:${font}/1.4 sans-serif`].map((one) => `${one} !important`);
  return `<div style="${declarations.join(";")}">${escape(text)}</div>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
