import { composeMail, type Stamp } from "./compose.ts";
import { replyReferences } from "./compose-reply.ts";
import type { Original } from "./original.ts";
import type { Mailbox } from "./write-mail.ts";

/** An absent person's answer. */
export interface Autoreply extends Stamp {
  /** Who is away: the recipient of the original. */
  readonly from: Mailbox;
  /** The original's return path, never its From or Reply-To (RFC 3834 §4); without one nothing is answered. */
  readonly to: string;
  readonly text: string;
}

/** The raw out-of-office answer (RFC 3834), marked so that no machine answers it in turn. Its envelope sender is "". */
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
