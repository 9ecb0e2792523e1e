import { notFound } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { HeaderField, Message } from "../../core/message.ts";
import { readMailDate } from "../../core/mail-date.ts";
import { describeAttachments, type DescribedMessage } from "../../operations/messages/describe-attachments.ts";
import { openMessage } from "../../operations/messages/get-message.ts";
import { openMessageId } from "../../operations/services/security/access.ts";
import { bodyOf, streamJson, type JsonSegment } from "../json-stream.ts";
import { findNewest, markRead } from "../mailbox.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { readListUnsubscribe, type MailpitListUnsubscribe } from "./list-unsubscribe.ts";
import { slicesOf, withCrlf } from "../rewrite-text.ts";
import { streamed } from "./responses.ts";
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

/** Body of a message in slices, with the line ends of the mail. */
export interface MailpitBody {
  /** Size before its line ends are written, in bytes; 0 for a message without this body. */
  readonly sizeBytes: number;
  readonly slices: () => Iterable<Buffer>;
}

/** Message with its bodies. */
export interface MailpitMessage {
  readonly fields: MailpitFields;
  readonly text: MailpitBody;
  readonly html: MailpitBody;
  readonly files: Pick<DescribedMessage, "sizeBytes" | "attachments">;
}

/** Members before the bodies. */
interface MailpitFields {
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
}

/** Members after the bodies. */
interface MailpitFiles {
  readonly Size: number;
  readonly Inline: readonly MailpitFile[];
  readonly Attachments: readonly MailpitFile[];
}

/** `GET /api/v1/message/:id`: a message, which becomes read. */
export const getMessageRoute: PeerRoute = {
  method: "GET",
  path: "/api/v1/message/:id",
  permission: "read",
  respond: async (call) => {
    const message = await openMailpitMessage(call, await resolveId(call));
    return await streamed(streamJson(messageSegments(message)), {
      contentType: "application/json",
      sizeBytes: message.text.sizeBytes + message.html.sizeBytes,
    });
  },
};

/** Yields the JSON of a message, which ends with a line feed as Go's encoder writes it. */
function* messageSegments({ fields, text, html, files }: MailpitMessage): Generator<JsonSegment, void> {
  yield `${JSON.stringify(fields).slice(0, -1)},"Text":"`;
  yield text.slices();
  yield '","HTML":"';
  yield html.slices();
  yield `",${JSON.stringify(filesOf(files)).slice(1)}\n`;
}

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
function fieldsOf(message: Message): Omit<MailpitFields, "Tags" | "Username"> {
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
function filesOf({ sizeBytes, attachments }: MailpitMessage["files"]): MailpitFiles {
  return {
    Size: sizeBytes,
    Inline: attachments.filter(({ isAttachment }) => !isAttachment).map(toMailpitFile),
    Attachments: attachments.filter(({ isAttachment }) => isAttachment).map(toMailpitFile),
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
