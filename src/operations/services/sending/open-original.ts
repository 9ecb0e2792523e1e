import type { Principal } from "../../../core/api-key.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import type { Message } from "../../../core/message.ts";
import { parseSingleAddress } from "../../../egress/policy.ts";
import type { Mailbox } from "../../../mime/compose/address-field.ts";
import type { Context } from "../../context.ts";
import { inspectStored } from "../inspection/inspect-stored.ts";
import { decodeDetail, decodeExcerpt, type StoredDetail } from "../reading/stored-detail.ts";
import { callerOf, openMessageId, orNotFound } from "../security/access.ts";
import type { Composition } from "./compose-from-original.ts";
import { domainOf, randomAddress } from "./new-mail.ts";

/** Stored message that is replied to or forwarded. */
export interface OpenedMessage {
  readonly id: MessageId;
  readonly server: ServerId;
  readonly message: StoredDetail["message"];
  readonly session: StoredDetail["session"];
  /** Provider whose webhook delivered the SMS; null for other messages. */
  readonly via: string | null;
  /** Size of the raw mail in bytes. */
  readonly sizeBytes: number;
}

/** Returns the message. Rejects with `not_found`. */
export async function openMessage(context: Context, principal: Principal, idText: string): Promise<OpenedMessage> {
  const id = openMessageId(principal, idText);
  const bytes = orNotFound(await context.store.getDetail(id), "Message");
  const { message, session, via = null } = decodeDetail(bytes);
  const { server } = decodeMessageId(id);
  return { id, server, message, session, via, sizeBytes: decodeExcerpt(bytes).sizeBytes };
}

/** Returns the mailboxes that a reply to the mail goes to; empty when it names none. Rejects as the inspector does. */
export async function findReplyRecipients(
  context: Context,
  { id, sizeBytes }: OpenedMessage,
  principal: Principal,
): Promise<readonly Mailbox[]> {
  const inspection = { kind: "replyRecipients", receivedAt: decodeMessageId(id).receivedAt } as const;
  return await inspectStored(context, { id, sizeBytes, inspection }, callerOf(principal, context));
}

/** Composes a mail from the opened one and returns its raw bytes. Rejects as the inspector does. */
export async function composeFromOpened(
  context: Context,
  { id, sizeBytes }: OpenedMessage,
  { principal, composition }: { readonly principal: Principal; readonly composition: Composition },
): Promise<Uint8Array> {
  const inspection = { kind: "compose", receivedAt: decodeMessageId(id).receivedAt, composition } as const;
  const inspectionBytes = contentBytesOf(composition);
  return await inspectStored(context, { id, sizeBytes, inspection, inspectionBytes }, callerOf(principal, context));
}

function contentBytesOf({ form, mail }: Composition): number {
  const text = "text" in mail ? (mail.text?.length ?? 0) : 0;
  const html = "html" in mail ? (mail.html?.length ?? 0) : 0;
  const attachments = form === "reply" ? (mail.attachments ?? []) : [];
  return attachments.reduce((sum, { content }) => sum + content.byteLength, text + html);
}

/** Returns the server's address among the recipients (the senders of a sent mail), else a random one. */
export function ownAddressOf(context: Context, { server, message, id }: OpenedMessage): string {
  const ending = `@${domainOf(context, server)}`;
  const { from, to, cc, metadata }: Pick<Message, "from" | "to" | "cc" | "metadata"> = message;
  const candidates = decodeMessageId(id).direction === "Sent" ? from : [...metadata.rcptTo, ...to, ...cc];
  const own = candidates
    .map(({ email }) => parseSingleAddress(email ?? "").address)
    .find((address) => address?.endsWith(ending) === true);
  return own ?? randomAddress(context, server);
}
