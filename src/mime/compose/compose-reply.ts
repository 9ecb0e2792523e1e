import { quotedLengthMax } from "../../core/limits.ts";
import { withLfLineEnds } from "../line-ends.ts";
import { trimEnd } from "../../core/trim.ts";
import { composeMail, type ComposedAttachment, type Stamp } from "./compose.ts";
import { singleLine, textAsHtml, usableMessageIds } from "./header-text.ts";
import { mailboxes, readableContacts, readableDate, type Original } from "./original.ts";
import type { Mailbox } from "./address-field.ts";

/** Text placed before the quoted original, and the recipients. */
export interface Reply extends Stamp {
  readonly from: Mailbox;
  readonly cc?: readonly Mailbox[];
  readonly text: string | null;
  readonly html: string | null;
  /** New attachments only: a reply does not contain those of the original. */
  readonly attachments?: readonly ComposedAttachment[];
}

/**
 * References that are kept: the first and the latest, so that the field stays bounded (as in RFC 5537 §3.4.4).
 */
const referenceCountMax = 50;

/** Returns the recipients of a reply: Reply-To, else From (RFC 5322 §3.6.2). Empty if the original has no address. */
export function replyRecipients(original: Original): Mailbox[] {
  const replyTo = mailboxes(original.replyTo);
  return replyTo.length > 0 ? replyTo : mailboxes(original.from);
}

/** Returns the subject with `Re: ` in front, unless it already starts with it in any letter case (RFC 5322 §3.6.5). */
export function replySubject(subject: string): string {
  return /^\s*re(?:\s*\[\d{1,9}\])?\s*:/i.test(subject) ? subject.trim() : `Re: ${subject}`.trimEnd();
}

/** Returns the References of a reply (RFC 5322 §3.6.4), oldest first, without repetition. */
export function replyReferences(original: Original): string[] {
  const earlier = original.references.length > 0 ? original.references : original.inReplyTo.slice(0, 1);
  const ids = usableMessageIds([...earlier, original.messageId ?? ""]);
  const unique = Array.from(new Set(ids.toReversed())).toReversed();
  if (unique.length <= referenceCountMax) return unique;
  return [...unique.slice(0, 1), ...unique.slice(1 - referenceCountMax)];
}

/**
 * Returns the raw reply. The given text and HTML come first and unchanged, the original is quoted below: `> ` before
 * each line of text, a blockquote in HTML. If neither is given, the text body is the quotation alone.
 */
export async function composeReply(original: Original, reply: Reply): Promise<Uint8Array> {
  const { from, cc = [], attachments = [], messageId, date, boundarySeed } = reply;
  const text = reply.text ?? (reply.html === null ? "" : null);
  return await composeMail({
    from,
    cc,
    attachments,
    messageId,
    date,
    boundarySeed,
    to: replyRecipients(original),
    subject: replySubject(original.subject),
    text: text === null ? null : text + quotedText(original),
    html: reply.html === null ? null : reply.html + quotedHtml(original),
    inReplyTo: original.messageId,
    references: replyReferences(original),
  });
}

/** Returns the text with `> ` before each line; its part after {@link quotedLengthMax} is left out. */
function quotedText(original: Original): string {
  const text = original.text ?? "";
  const quoted = trimEnd(withLfLineEnds(text.slice(0, quotedLengthMax)), "\n");
  const lines = quoted === "" ? [] : quoted.split("\n");
  const written = lines.map((line) => (line.startsWith(">") ? `>${line}` : `> ${line}`));
  if (text.length > quotedLengthMax) written.push("> […]");
  return `\n\n${[attribution(original), ...written].join("\n")}\n`;
}

function quotedHtml(original: Original): string {
  const quoted = original.html ?? textAsHtml((original.text ?? "").slice(0, quotedLengthMax));
  return `\n<br><div>${textAsHtml(attribution(original))}</div>\n<blockquote type="cite">\n${quoted}\n</blockquote>\n`;
}

function attribution(original: Original): string {
  return singleLine(`On ${readableDate(original.date)}, ${readableContacts(original.from) || "somebody"} wrote:`);
}
