import { notFound } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { readMailDate } from "../../core/mail-date.ts";
import type { HeaderField, Message } from "../../core/message.ts";
import { openMessage } from "../../operations/services/reading/get-message.ts";
import { describeAttachments, type DescribedMessage } from "../../operations/messages/get-transcript.ts";
import { type CatcherCall, type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { markRead } from "../change-mailbox.ts";
import { bodyOf, type JsonSegment, streamJson } from "../json-stream.ts";
import { findNewest } from "../mailbox.ts";
import { fieldOf, readingContext, requireId } from "../received-message.ts";
import { slicesOf, withCrlf } from "../rewrite-text.ts";
import { parseSearch } from "./search.ts";
import { goTime, messageIdOf, replyToOf, streamed, toAddress, toFrom, toMailpitFile } from "./shapes.ts";

/** Body of a message in slices, with the line ends of the mail. */
export interface MailpitBody {
  /** Size before its line ends are written, in bytes; 0 for a message without this body. */
  readonly sizeBytes: number;
  readonly slices: () => Iterable<Buffer>;
}

/** Message with its bodies. */
export interface MailpitMessage {
  /** Members before the bodies. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: MailpitBody;
  readonly html: MailpitBody;
  readonly files: Pick<DescribedMessage, "sizeBytes" | "attachments">;
}

/** `GET /api/v1/message/:id`: a message, which becomes read. */
export const messageRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /api/v1/message/:id": async (call) => {
    const message = await openMailpitMessage(call, await resolveId(call));
    return streamed(streamJson(messageSegments(message)), {
      contentType: "application/json",
      sizeBytes: message.text.sizeBytes + message.html.sizeBytes,
    });
  },
});

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

/** Returns the id of a path, of which `latest` is the newest message. Throws `not_found`, also for those of other servers. */
export async function resolveId(call: CatcherCall): Promise<MessageId> {
  if (call.params["id"] !== "latest") return requireId(call);
  const id = await findLatest(call);
  if (id === undefined) throw notFound("Message");
  return id;
}

/** Returns the newest message, of those that the query meets if there is one. */
async function findLatest(call: CatcherCall): Promise<MessageId | undefined> {
  const query = (call.query.get("query") ?? "").trim();
  return await findNewest(call, query === "" ? null : parseSearch(call, query));
}

/** Returns a message, and marks it as read. Rejects with `not_found`. */
export async function openMailpitMessage(call: CatcherCall, id: MessageId): Promise<MailpitMessage> {
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
