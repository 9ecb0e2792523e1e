import { composeMail, type Stamp } from "./compose.ts";
import { replyReferences } from "./compose-reply.ts";
import type { Original } from "./original.ts";
import type { Mailbox } from "./address-field.ts";

/** Out-of-office reply. */
export interface Autoreply extends Stamp {
  /** Recipient of the original, who is away. */
  readonly from: Mailbox;
  /** Return path of the original, never its From or Reply-To (RFC 3834 §4); no reply is sent without one. */
  readonly to: string;
  readonly text: string;
}

/**
 * Returns the raw out-of-office reply (RFC 3834), marked so that automatic responders do not answer it. Its envelope
 * sender is "".
 */
export async function composeAutoreply(original: Original, reply: Autoreply): Promise<Uint8Array> {
  const { to, text, ...rest } = reply;
  return await composeMail({
    ...rest,
    to: [{ address: to }],
    subject: `Auto: ${original.subject}`.trimEnd(),
    text,
    html: null,
    inReplyTo: original.messageId,
    references: replyReferences(original),
    extra: { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" },
  });
}
