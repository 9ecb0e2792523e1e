import { composeMail, type Stamp } from "./compose.ts";
import { singleLine, textAsHtml } from "./header-text.ts";
import { replyReferences } from "./compose-reply.ts";
import { readableContacts, readableDate, type Original } from "./original.ts";
import type { Mailbox } from "./address-field.ts";

/** Text placed before the original, and the recipients. */
export interface Forward extends Stamp {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[];
  readonly text: string | null;
  readonly html: string | null;
}

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
