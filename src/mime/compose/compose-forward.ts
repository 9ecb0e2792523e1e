import { composeMail, type Stamp } from "./compose.ts";
import { singleLine, textAsHtml } from "./header-text.ts";
import { replyReferences } from "./compose-reply.ts";
import { readableContacts, readableDate, type Original } from "./original.ts";
import type { Mailbox } from "./write-mail.ts";

/** What is put in front of the original, and where it goes. */
export interface Forward extends Stamp {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[];
  readonly text: string | null;
  readonly html: string | null;
}

const separator = "---------- Forwarded message ----------";

/** `Fwd: ` in front, unless it or `Fw:` stands there already in any letter case. */
export function forwardSubject(subject: string): string {
  return /^\s*fwd?\s*:/i.test(subject) ? subject.trim() : `Fwd: ${subject}`.trimEnd();
}

/**
 * The raw forward: the given text and HTML first and unchanged, then who wrote what to whom, then the original's text
 * and HTML, and all its attachments byte for byte, those within the HTML still within it. There is an HTML body when
 * either side has one, and a text body likewise or when there is no HTML at all. A body whose own prefix was not given
 * shows the other one's where that is possible: text in HTML.
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
