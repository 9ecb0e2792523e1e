import { notFound } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type { ProviderOrigin } from "../../core/message.ts";
import { composeMail } from "../../mime/compose/compose.ts";
import { usableMessageIds } from "../../mime/compose/header-text.ts";
import { withMessageId } from "../../mime/email-address.ts";
import type { EmailDraft, SubmittedEmail } from "../../providers/email.ts";
import type { Context } from "../context.ts";
import { resolveRecipient } from "../inbound/resolve-recipient.ts";
import type { ServerRecipients } from "../inbound/arriving-records.ts";
import { domainOf, newStamp } from "../services/sending/new-mail.ts";
import type { ProviderCaller } from "./provider-session.ts";

/** Mail with the ids that its provider gave it. */
export interface IdentifiedEmail {
  readonly origin: ProviderOrigin;
  readonly raw: Uint8Array;
}

/** Place and time of a mail that is composed. */
interface EmailIdentity {
  /** UUID that the provider's id contains. */
  readonly uuid: string;
  readonly server: ServerId;
  readonly provider: string;
  /** Instant of the Date field, in milliseconds since the Unix epoch. */
  readonly date: number;
  /** Milliseconds since the Unix epoch; null for a mail that is not scheduled. */
  readonly scheduledAt: number | null;
}

/** Growth of content by base64 with line ends. */
const base64Growth = 1.37;
/** Header fields and boundaries of a draft, besides its recipients. */
const frameBytes = 4096;

/** Returns the approximate size of a mail with its facts in bytes, at least its content; costs no composition. */
export function estimateBytes({ content, recipients, facts }: SubmittedEmail): number {
  const factBytes = Buffer.byteLength(JSON.stringify([facts.tags, facts.metadata, facts.template]));
  if (content instanceof Uint8Array) return content.byteLength + factBytes;
  const texts = [content.text ?? "", content.html ?? "", ...content.headers.map(([, value]) => value)];
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const fileBytes = content.attachments.reduce((sum, file) => sum + file.content.byteLength, 0);
  const addressBytes = recipients.reduce((sum, address) => sum + address.length, 0);
  return Math.ceil(textBytes + base64Growth * fileBytes) + addressBytes + factBytes + frameBytes;
}

/** Identifies a mail and composes its draft; of a whole mail only the Message-ID field may change. */
export async function composeEmail(
  context: Context,
  { content, facts, identify }: SubmittedEmail,
  { uuid, server, provider, date, scheduledAt }: EmailIdentity,
): Promise<IdentifiedEmail> {
  const { providerId, messageId } = identify(uuid);
  const { tags, metadata, template } = facts;
  const origin = {
    name: provider,
    id: providerId,
    tags,
    metadata,
    template: template === null ? null : { id: template.id, data: template.data ?? null },
    scheduledAt: scheduledAt === null ? null : new Date(scheduledAt).toISOString(),
  };
  if (content instanceof Uint8Array) {
    return { origin, raw: messageId === null ? content : withMessageId(content, messageId) };
  }
  const stamp = newStamp(context, domainOf(context, server));
  const [usableId = stamp.messageId] = usableMessageIds([messageId ?? ownMessageId(content)]);
  return { origin, raw: await composeDraft(content, { ...stamp, messageId: usableId, date }) };
}

async function composeDraft(draft: EmailDraft, stamp: ReturnType<typeof newStamp>): Promise<Uint8Array> {
  const { from, replyTo, to, cc, subject, text, html, headers, attachments } = draft;
  const mail = { ...stamp, from, replyTo, to, cc, subject, text, html, attachments, custom: headers };
  const raw = await composeMail({ ...mail, allows8bit: true });
  const isOnePart = attachments.length === 0 && (text === null || html === null);
  return isOnePart && !(text ?? html ?? "").endsWith("\n") ? withoutLineEnd(raw) : raw;
}

/** Removes the line end that the composer adds to a body without parts, so that the body is read back as it was given. */
function withoutLineEnd(raw: Uint8Array): Uint8Array {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1", raw.length - 2) === "\r\n"
    ? raw.subarray(0, -2)
    : raw;
}

function ownMessageId({ headers }: EmailDraft): string {
  return headers.find(([name]) => name.toLowerCase() === "message-id")?.[1].trim() ?? "";
}

// Routes of mails that are submitted through a provider's API: the servers of their recipients.

/** Mail with the servers of its recipients, in the order of their first recipients; none when no server receives it. */
export interface RoutedEmail {
  readonly email: SubmittedEmail;
  readonly copies: readonly ServerRecipients[];
}

/**
 * Routes mails as at the SMTP listener: to the server of a restricted key, else to the server of each recipient. Recipients
 * without a server are left out. Rejects with `not_found` when the server of the key no longer exists.
 */
export async function routeEmails(
  context: Context,
  { principal }: ProviderCaller,
  emails: readonly SubmittedEmail[],
): Promise<readonly RoutedEmail[]> {
  const { server } = principal;
  if (server !== null && !(await context.store.hasServer(server))) throw notFound("Server");
  const servers = new Map<string, ReturnType<typeof resolveRecipient>>();
  const ownServer = async (own: ServerId): Promise<ServerId | undefined> =>
    (server === null || server === own) && (await context.store.hasServer(own)) ? own : undefined;
  const serverOf = async (address: string): Promise<ServerId | undefined> => {
    const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
    const known = servers.get(domain) ?? resolveRecipient(context, address, server);
    servers.set(domain, known);
    return known;
  };
  return Promise.all(
    emails.map(async (email) => {
      const given = email.server === undefined ? undefined : ownServer(email.server);
      const found = await Promise.all(
        email.recipients.map(async (address) => ({ address, server: await (given ?? serverOf(address)) })),
      );
      const byServer = Map.groupBy(found, (one) => one.server);
      const copies = Array.from(byServer, ([own, group]) =>
        own === undefined ? [] : [{ server: own, recipients: group.map(({ address }) => address) }],
      );
      return { email, copies: copies.flat() };
    }),
  );
}
