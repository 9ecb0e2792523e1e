import { notFound } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { readMailDate } from "../../core/mail-date.ts";
import type { HeaderField, Message } from "../../core/message.ts";
import { openMessage, getAttachment } from "../../operations/services/reading/get-message.ts";
import {
  describeAttachments,
  type DescribedMessage,
  type DescribedAttachment,
} from "../../operations/messages/get-transcript.ts";
import { type CatcherCall, type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { markRead, relayMail } from "../change-mailbox.ts";
import { bodyOf, type JsonSegment, streamJson, contentOfStream, plainResponse, redirect } from "../responses.ts";
import { findNewest } from "../mailbox.ts";
import { fieldOf, orNull, readingContext, requireId } from "../received-message.ts";
import { slicesOf, withCrlf, type Replacement, rewriteText, inlineBytesMax, linkImages } from "../rewrite-text.ts";
import { parseSearch } from "./messages.ts";
import { build } from "../../core/schema.ts";
import { badRequest, readBody, texts } from "../read-json.ts";
import { goTime, messageIdOf, replyToOf, streamed, toAddress, toFrom, toMailpitFile, ok } from "./shapes.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { mailPageHeaders } from "../../http/web/routes/mail.ts";

/** Body of a message in slices, with the line ends of the mail. */
interface MailpitBody {
  /** Size before its line ends are written, in bytes; 0 for a message without this body. */
  readonly sizeBytes: number;
  readonly slices: () => Iterable<Buffer>;
}

/** Message with its bodies. */
interface MailpitMessage {
  /** Members before the bodies. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: MailpitBody;
  readonly html: MailpitBody;
  readonly files: Pick<DescribedMessage, "sizeBytes" | "attachments">;
}

const releaseBody = build.object({ To: texts });

/** A message, which becomes read when it is requested, and its release as it was received, to verified recipients. */
export const messageRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("read", {
    "GET /api/v1/message/:id": async (call) => {
      const message = await openMailpitMessage(call, await resolveId(call));
      return streamed(streamJson(messageSegments(message)), {
        contentType: "application/json",
        sizeBytes: message.text.sizeBytes + message.html.sizeBytes,
      });
    },
  }),
  ...catcherRoutes("send", {
    "POST /api/v1/message/:id/release": async (call) => {
      const id = await resolveId(call);
      const { To: to = [] } = await readBody(call, releaseBody);
      if (to.length === 0) throw badRequest("No valid addresses found");
      await relayMail(call, id, to);
      return ok;
    },
  }),
];

/** Yields the JSON of a message, which ends with a line feed as Go's encoder writes it. */
function* messageSegments({ fields, text, html, files }: MailpitMessage): Generator<JsonSegment, void> {
  yield `${JSON.stringify(fields).slice(0, -1)},"Text":"`;
  yield text.slices();
  yield '","HTML":"';
  yield html.slices();
  const { sizeBytes, attachments } = files;
  const filesOf = (isAttachment: boolean): unknown =>
    attachments.filter((file) => file.isAttachment === isAttachment).map(toMailpitFile);
  const members = { Size: sizeBytes, Inline: filesOf(false), Attachments: filesOf(true) };
  yield `",${JSON.stringify(members).slice(1)}\n`;
}

/** Returns the id in the path. `latest` is the newest message, or the newest that matches the query. Throws `not_found`, also for a message of another server. */
export async function resolveId(call: CatcherCall): Promise<MessageId> {
  if (call.params["id"] !== "latest") return requireId(call);
  const query = (call.query.get("query") ?? "").trim();
  const id = await findNewest(call, query === "" ? null : parseSearch(call, query));
  if (id === undefined) throw notFound("Message");
  return id;
}

/** Returns a message, and marks it as read. Rejects with `not_found`. */
async function openMailpitMessage(call: CatcherCall, id: MessageId): Promise<MailpitMessage> {
  const { principal, server } = call;
  const context = readingContext(call);
  const opened = await openMessage(context, principal, id);
  const described = await describeAttachments(context, principal, id);
  const [marked] = await context.store.marks.readMarks(server, [id]);
  if (!(marked?.marks.flags.includes("seen") ?? false)) await markRead(call, id);
  const { message } = opened;
  const { textOfHtml, hasCrlf } = described;
  const text = bodyOf(opened, "text");
  return {
    fields: { ...fieldsOf(message), Tags: marked?.marks.tags ?? [], Username: message.metadata.auth?.user ?? "" },
    text: text === null ? toBody(Buffer.from(textOfHtml ?? "", "utf8"), false) : toBody(text, hasCrlf.text),
    html: toBody(bodyOf(opened, "html") ?? new Uint8Array(), hasCrlf.html),
    files: described,
  };
}

/** Returns a body with the line ends of the mail, which Mailpit keeps. */
function toBody(body: Uint8Array, hasCrlf: boolean): MailpitBody {
  const slices = (): Iterable<Buffer> => (hasCrlf ? withCrlf(slicesOf(body)) : slicesOf(body));
  return { sizeBytes: body.byteLength, slices };
}

/** Returns the members that header fields and the envelope determine. */
function fieldsOf(message: Message): MailpitMessage["fields"] {
  const { headers, mailFrom } = message.metadata;
  const from = toFrom(message, headers);
  return {
    ID: message.id,
    MessageID: messageIdOf(headers),
    From: from,
    To: message.to.map(toAddress),
    Cc: message.cc.map(toAddress),
    Bcc: message.bcc.map(toAddress),
    ReplyTo: replyToOf(headers).map(toAddress),
    ReturnPath: (mailFrom ?? "") || from.Address,
    Subject: message.subject,
    ListUnsubscribe: readListUnsubscribe(headers),
    Date: dateOf(headers, decodeMessageId(message.id).receivedAt),
  };
}

/** Returns the Date field with its own zone, else the instant of receipt. */
function dateOf(headers: readonly HeaderField[], receivedAt: number): string {
  const date = readMailDate(fieldOf(headers, "date"));
  if (date === null) return goTime(receivedAt);
  const { instant, offsetMinutes } = date;
  if (offsetMinutes === 0) return goTime(instant);
  const minutes = Math.abs(offsetMinutes);
  const [hours, rest] = [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
  return goTime(instant + offsetMinutes * 60_000).replace("Z", `${offsetMinutes < 0 ? "-" : "+"}${hours}:${rest}`);
}

/** Links of the field, and its faults; "" when there are none. */
interface Reading {
  readonly Links: readonly string[];
  readonly Errors: string;
}

/** Returns List-Unsubscribe (RFC 2369) and List-Unsubscribe-Post of a message, with the faults that Mailpit reports. */
function readListUnsubscribe(
  headers: readonly HeaderField[],
): Reading & Readonly<Record<"Header" | "HeaderPost", string>> {
  const header = fieldOf(headers, "list-unsubscribe");
  if (header === "") return { Header: "", Links: [], Errors: "", HeaderPost: "" };
  return { Header: header, ...readLinks(header), HeaderPost: fieldOf(headers, "list-unsubscribe-post") };
}

function readLinks(header: string): Reading {
  const text = header.replaceAll(/\([^()]*\)/g, "").trim();
  const links = Array.from(text.matchAll(/<([^<>]*)>/g), ([, link = ""]) => link);
  if (links.length === 0) return refused(`"${text}" no valid unsubscribe links found`);
  if (!text.startsWith("<") || !text.endsWith(">")) return refused(`"${text}" should be enclosed in <>`);
  if (links.length > 2) return refused(`"${text}" should include a maximum of one email and one HTTP link`);
  const between = text.split(/<[^<>]*>/).slice(1, -1);
  if (between.some((join) => join.trim() !== ",")) {
    return refused(`"${text}" <> should be split with a comma and optional spaces`);
  }
  return checkLinks(links);
}

function refused(error: string): Reading {
  return { Links: [], Errors: error };
}

function checkLinks(links: readonly string[]): Reading {
  const errors: string[] = [];
  const valid: string[] = [];
  const seen = { mail: false, web: false };
  for (const link of links) {
    const kind = /^mailto:[a-z0-9]/i.test(link) ? "mail" : /^https?:\/\/[a-z0-9]/i.test(link) ? "web" : null;
    if (/\s/.test(link)) errors.push(`"${link}" should not contain spaces`);
    else if (kind === null) errors.push(`"${link}" should start with either http(s):// or mailto:`);
    else if (seen[kind]) errors.push(`"${link}" should only contain one ${kind === "mail" ? "mailto:" : "HTTP link"}`);
    else {
      seen[kind] = true;
      valid.push(link);
    }
  }
  return { Links: valid, Errors: errors.join(", ") };
}

/** Pages that show the body of a message. */
export const viewRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /view/:page": async (call) => {
    const { page = "" } = call.params;
    const [, id = "", form] = /^(.*?)(?:\.(html|txt))?$/.exec(page) ?? [];
    const named = { ...call, params: { id } };
    if (form === undefined) return redirectToView(named);
    const message = await orNull(resolveId(named).then(async (one) => openMailpitMessage(named, one)));
    if (message === null) return plainResponse(404, "Message not found");
    const { text, html } = message;
    if (form === "txt") {
      return streamed(text.slices(), { contentType: "text/plain; charset=utf-8", sizeBytes: text.sizeBytes });
    }
    if (html.sizeBytes === 0) return plainResponse(404, "This message does not contain a HTML part");
    return showHtml(named, message);
  },
});

/** Redirects `latest` to the newest message, and a message to the web UI of the service. */
async function redirectToView(call: CatcherCall): Promise<HttpResponse> {
  if (call.params["id"] !== "latest") return redirect(`${call.context.settings.publicUrl()}/`);
  const id = await orNull(resolveId(call));
  return redirect(call.basePath + (id === null ? "/" : `/view/${id}`));
}

/**
 * Shows the HTML as it was received, apart from the references to inline images. Scripts, forms and connections are
 * switched off by the header fields, and the page has an origin of its own. Tests that fetch the page get the addresses of the
 * images, as from Mailpit; browsers get the images themselves, since the page may not load them.
 */
async function showHtml(call: CatcherCall, { fields, html, files }: MailpitMessage): Promise<HttpResponse> {
  const isPage = ["document", "iframe", "frame"].includes(String(call.headers["sec-fetch-dest"]));
  const addresses = new Map<string, string>();
  const parts = `${call.basePath}/api/v1/message/${String(fields["ID"])}/part`;
  let budget = inlineBytesMax;
  for (const file of files.attachments) {
    if (file.contentId === null) continue;
    if (isPage && (file.length > budget || !file.contentType.startsWith("image/"))) continue;
    budget -= isPage ? file.length : 0;
    const address = isPage ? await dataUrl(call, file) : `${parts}/${file.partId}`;
    addresses.set(file.contentId.toLowerCase(), address);
  }
  const linked = rewriteText(html.slices(), linkImages(addresses));
  const shown = call.query.get("embed") === "1" ? openLinksApart(linked, endsBody(html)) : linked;
  const headers = mailPageHeaders({ isRemoteAllowed: false, isDark: false });
  return { status: 200, headers, ...(await contentOfStream(shown, html.sizeBytes)) };
}

async function dataUrl(call: CatcherCall, { id, contentType }: DescribedAttachment): Promise<string> {
  const { bytes } = await getAttachment(readingContext(call), call.principal, id);
  const type = /^image\/[\w.+-]+/.exec(contentType)?.[0] ?? "image/png";
  return `data:${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`;
}

/** Links that open in new tabs; the first of two attributes of the same name counts. */
const apart: Replacement = {
  pattern: /<a(?=[\t\n\f\r >])/gi,
  lengthMax: 3,
  replace: () => '<a target="_blank" rel="noreferrer noopener"',
};

/** Lets links open in new tabs, and puts HTML that does not end its body into a page. */
function* openLinksApart(html: Iterable<Buffer>, isPage: boolean): Generator<Buffer, void> {
  if (!isPage) yield Buffer.from("<html><head></head><body>");
  yield* rewriteText(html, apart);
  if (!isPage) yield Buffer.from("</body></html>");
}

/** Returns whether HTML has an end tag of its body. */
function endsBody({ slices }: MailpitMessage["html"]): boolean {
  let isEnded = false;
  const found: Replacement = {
    pattern: /<\/body>/gi,
    lengthMax: 7,
    replace: () => {
      isEnded = true;
      return "";
    },
  };
  for (const _ of rewriteText(slices(), found)) if (isEnded) return true;
  return isEnded;
}
