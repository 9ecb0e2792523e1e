/** The received message that a path of an API names, and its mail. */
import { notFound, Problem } from "../core/errors.ts";
import { decodeMessageId, type MessageId, parseMessageId } from "../core/ids.ts";
import type { Contact, HeaderField, Message } from "../core/message.ts";
import type { MessageStructure } from "../mime/structure/structure.ts";
import { createStructureReader, openMail } from "../operations/mailboxes/open-mail.ts";
import { type MessageHead, readHeads } from "../operations/messages/read-conversation.ts";
import { callerOf } from "../operations/services/security/access.ts";
import type { RawContent } from "../store/raw-content.ts";
import type { CatcherCall } from "./catcher.ts";
import { attachmentDisposition } from "../http/files/file-response.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { plainHeaders, sendSource } from "./responses.ts";

/** Context of operations that read messages for a response. */
type ReadingContext = CatcherCall["context"] & Pick<CatcherCall, "room"> & { readonly gone: AbortSignal };

/** Returns the context of operations that read messages for the response to a call. */
export function readingContext({
  context,
  room,
  signal,
}: Pick<CatcherCall, "context" | "room" | "signal">): ReadingContext {
  return { ...context, room, gone: signal() };
}

/** Resolves as a promise does, and to null where it rejects with `not_found`. */
export async function orNull<Value>(value: Promise<Value>): Promise<Value | null> {
  return value.catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return null;
    throw error;
  });
}

/** Returns the id of a received message of the server; undefined for any other text. */
export function parseReceivedId({ server }: Pick<CatcherCall, "server">, text: string): MessageId | undefined {
  const id = parseMessageId(text);
  if (id === undefined) return undefined;
  const parts = decodeMessageId(id);
  return parts.direction === "Received" && parts.server === server ? id : undefined;
}

/** Returns the id of the path, `:id`. Throws `not_found` when it is none of a received message of the server. */
export function requireId({ server, params }: Pick<CatcherCall, "server" | "params">): MessageId {
  const id = parseReceivedId({ server }, params["id"] ?? "");
  if (id === undefined) throw notFound("Message");
  return id;
}

/** Returns the stored facts about a message, without reading its bodies. Rejects with `not_found`. */
export async function requireHead(
  call: Pick<CatcherCall, "context" | "principal" | "signal">,
  id: MessageId,
): Promise<MessageHead> {
  const { value } = await readHeads({ ...call.context, gone: call.signal() }, call.principal, [id]).next();
  if (value === undefined) throw notFound("Message");
  return value;
}

/** Opens the bytes of a mail. Rejects with `not_found`. */
export async function requireMail({ context }: Pick<CatcherCall, "context">, id: MessageId): Promise<RawContent> {
  const mail = await openMail(context, id);
  if (mail === undefined) throw notFound("Message");
  return mail;
}

/** Responds with the mail of the path as a text. */
export async function showMail(call: CatcherCall): Promise<HttpResponse> {
  return sendSource(call, await requireMail(call, requireId(call)), { headers: plainHeaders });
}

/** Responds with the mail of the path as a file. */
export async function downloadMail(call: CatcherCall): Promise<HttpResponse> {
  const id = requireId(call);
  const headers = { "content-type": "message/rfc822", "content-disposition": attachmentDisposition(`${id}.eml`) };
  return sendSource(call, await requireMail(call, id), { headers });
}

/** Returns the part tree of a mail; undefined when it no longer exists. Rejects as the inspector does. */
export async function readStructure(
  { context, principal, signal }: Pick<CatcherCall, "context" | "principal" | "signal">,
  id: MessageId,
): Promise<MessageStructure | undefined> {
  return createStructureReader(context).read(id, callerOf(principal, { gone: signal() }));
}

/** Returns the address of a contact, or its phone number in place of it; "" without a contact. */
export function addressOf(contact: Pick<Contact, "email" | "phone"> | undefined): string {
  return contact?.email ?? contact?.phone ?? "";
}

/** Returns the recipients of the envelope; of messages without one, those of the header. */
export function recipientsOf({
  to,
  cc,
  bcc,
  metadata,
}: Pick<Message, "to" | "cc" | "bcc" | "metadata">): readonly string[] {
  return (metadata.rcptTo.length > 0 ? metadata.rcptTo : [...to, ...cc, ...bcc]).map(addressOf);
}

/** Returns the sender of the envelope; of messages without one, the first of the header. */
export function senderOf({ from, metadata }: Pick<Message, "from" | "metadata">): string {
  return metadata.mailFrom ?? addressOf(from[0]);
}

/** Returns the value of the first field with a lower-case name; "" when there is none. */
export function fieldOf(headers: readonly HeaderField[], name: string): string {
  return headers.find(({ field }) => field.toLowerCase() === name)?.value ?? "";
}
