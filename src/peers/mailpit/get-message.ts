import { notFound } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { HeaderField, Message } from "../../core/message.ts";
import { parseHeaderDate } from "../../mime/header-date.ts";
import { describeAttachments, type DescribedMessage } from "../../operations/messages/describe-attachments.ts";
import { getMessage as readMessage } from "../../operations/messages/get-message.ts";
import { openMessageId } from "../../operations/services/security/access.ts";
import { findNewest, markRead } from "../mailbox.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { readListUnsubscribe, type MailpitListUnsubscribe } from "./list-unsubscribe.ts";
import { json } from "./responses.ts";
import { parseSearch } from "./search.ts";
import {
  fieldOf,
  goTime,
  messageIdOf,
  replyToOf,
  toAddress,
  toFrom,
  toMailpitFile,
  type MailpitAddress,
  type MailpitFile,
} from "./shapes.ts";

/** Message with its bodies. */
export interface MailpitMessage {
  readonly ID: string;
  readonly MessageID: string;
  readonly From: MailpitAddress;
  readonly To: readonly MailpitAddress[];
  readonly Cc: readonly MailpitAddress[];
  readonly Bcc: readonly MailpitAddress[];
  readonly ReplyTo: readonly MailpitAddress[];
  readonly ReturnPath: string;
  readonly Subject: string;
  readonly ListUnsubscribe: MailpitListUnsubscribe;
  readonly Date: string;
  readonly Tags: readonly string[];
  readonly Username: string;
  readonly Text: string;
  readonly HTML: string;
  readonly Size: number;
  readonly Inline: readonly MailpitFile[];
  readonly Attachments: readonly MailpitFile[];
}

/** `GET /api/v1/message/:id`: a message, which becomes read. */
export const getMessageRoute: PeerRoute = {
  method: "GET",
  path: "/api/v1/message/:id",
  permission: "read",
  respond: async (call) => json(await openMailpitMessage(call, await resolveId(call))),
};

/** Returns the id of a path, of which `latest` is the newest message. Throws `not_found`, also for those of other servers. */
export async function resolveId(call: PeerCall): Promise<MessageId> {
  const { id: text = "" } = call.params;
  const id = text === "latest" ? await findLatest(call) : openMessageId(call.principal, text);
  if (id === undefined || decodeMessageId(id).direction !== "Received") throw notFound("Message");
  return id;
}

/** Returns the newest message, of those that the query meets if there is one. */
async function findLatest(call: PeerCall): Promise<MessageId | undefined> {
  const query = (call.query.get("query") ?? "").trim();
  return await findNewest(call, query === "" ? null : parseSearch(call, query));
}

/** Returns a message, and marks it as read. Rejects with `not_found`. */
export async function openMailpitMessage(call: PeerCall, id: MessageId): Promise<MailpitMessage> {
  const { principal, server, room } = call;
  const context = { ...call.context, room, gone: call.signal() };
  const message = await readMessage(context, principal, id);
  const described = await describeAttachments(context, principal, id);
  const [marked] = await context.store.marks.readMarks(server, [id]);
  if (!(marked?.marks.flags.includes("seen") ?? false)) await markRead(call, id);
  return {
    ...fieldsOf(message),
    Tags: marked?.marks.tags ?? [],
    Username: message.metadata.auth?.user ?? "",
    Text: withLineEnds(message.text.body, described.hasCrlf.text) ?? described.textOfHtml ?? "",
    HTML: withLineEnds(message.html.body, described.hasCrlf.html) ?? "",
    Size: described.sizeBytes,
    ...filesOf(described),
  };
}

/** Returns a body with the line ends of the mail, which Mailpit keeps. */
function withLineEnds(body: string | null, hasCrlf: boolean): string | null {
  return hasCrlf ? (body?.replaceAll("\n", "\r\n") ?? null) : body;
}

/** Returns the members that header fields and the envelope determine. */
function fieldsOf(
  message: Message,
): Omit<MailpitMessage, "Tags" | "Username" | "Text" | "HTML" | "Size" | "Inline" | "Attachments"> {
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

/** Returns the files: those with the disposition attachment, and all others. */
function filesOf({ attachments }: DescribedMessage): Pick<MailpitMessage, "Inline" | "Attachments"> {
  return {
    Inline: attachments.filter(({ isAttachment }) => !isAttachment).map(toMailpitFile),
    Attachments: attachments.filter(({ isAttachment }) => isAttachment).map(toMailpitFile),
  };
}

/** Returns the Date field with its own zone, else the instant of receipt. */
function dateOf(headers: readonly HeaderField[], receivedAt: number): string {
  const text = fieldOf(headers, "date");
  const instant = text === "" ? null : parseHeaderDate(text);
  if (instant === null) return goTime(receivedAt);
  const [, sign = "+", hours = "00", minutes = "00"] = /([+-])(\d{2})(\d{2})\s*(?:\(|$)/.exec(text) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  if (offset === 0) return goTime(instant);
  return goTime(instant + offset * 60_000).replace("Z", `${sign}${hours}:${minutes}`);
}
