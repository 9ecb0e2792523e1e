import { quotedLengthMax } from "../../core/limits.ts";
import { trimEnd } from "../../core/trim.ts";
import { withLfLineEnds } from "../line-ends.ts";
import type { Mailbox } from "./address-field.ts";
import { composeMail, type MailToCompose, type Stamp } from "./compose.ts";
import { singleLine, textAsHtml, usableMessageIds } from "./header-text.ts";
import { mailboxes, type Original, readableContacts, readableDate } from "./original.ts";

/** Text placed before the quoted original, new attachments (a reply contains none of the original), and copies. */
export type Reply = Pick<MailToCompose, keyof Stamp | "from" | "cc" | "text" | "html" | "attachments">;

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

/** Text placed before the original, and the recipients. */
export type Forward = Pick<MailToCompose, keyof Stamp | "from" | "to" | "cc" | "text" | "html">;

const separator = "---------- Forwarded message ----------";

/** Returns the subject with `Fwd: ` in front, unless it already starts with that or `Fw:` in any letter case. */
export function forwardSubject(subject: string): string {
  return /^\s*fwd?\s*:/i.test(subject) ? subject.trim() : `Fwd: ${subject}`.trimEnd();
}

/**
 * Returns the raw forward: the given text and HTML unchanged, then the header lines of the original, then the
 * original's text and HTML, and all its attachments byte for byte, including those embedded in the HTML. There is an
 * HTML body if either side has one, and a text body if either side has one or there is no HTML at all. If no HTML
 * prefix is given, the HTML body starts with the given text.
 */
export async function composeForward(original: Original, forward: Forward): Promise<Uint8Array> {
  const { from, to, cc = [], messageId, date, boundarySeed } = forward;
  const hasHtml = forward.html !== null || original.html !== null;
  const hasText = forward.text !== null || original.text !== null || !hasHtml;
  return await composeMail({
    from,
    to,
    cc,
    messageId,
    date,
    boundarySeed,
    subject: forwardSubject(original.subject),
    text: hasText ? forwardedText(original, forward) : null,
    html: hasHtml ? forwardedHtml(original, forward) : null,
    attachments: original.attachments,
    references: replyReferences(original),
  });
}

function forwardedText(original: Original, forward: Forward): string {
  const prefix = forward.text === null ? "" : `${forward.text}\n\n`;
  return `${prefix}${headerLines(original).join("\n")}\n\n${original.text ?? ""}`;
}

function forwardedHtml(original: Original, forward: Forward): string {
  const prefix = forward.html ?? textAsHtml(forward.text ?? "");
  const headers = headerLines(original).map(textAsHtml).join("<br>\n");
  return `${prefix}\n<br><div>${headers}</div><br>\n${original.html ?? textAsHtml(original.text ?? "")}`;
}

function headerLines(original: Original): string[] {
  const cc = readableContacts(original.cc);
  return [
    separator,
    `From: ${readableContacts(original.from)}`,
    `Date: ${readableDate(original.date)}`,
    `Subject: ${original.subject}`,
    `To: ${readableContacts(original.to)}`,
    ...(cc === "" ? [] : [`Cc: ${cc}`]),
  ].map(singleLine);
}
