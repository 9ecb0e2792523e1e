import { reply, type Reply } from "./reply.ts";
import type { Session, Transaction } from "./session.ts";

const stored = reply("250 2.0.0", "Message stored");

/**
 * Hands a complete mail in and ends its transaction; the 250 says that it is committed. A mail that was refused while
 * it came in is answered so. Rejects with whatever refused the mail behind the door.
 */
export async function acceptMail(session: Session, transaction: Transaction): Promise<Reply> {
  const content = session.openContent(transaction);
  try {
    if (content.refusal !== null) return content.refusal;
    const { mailFrom, recipients } = transaction;
    const { operations } = session.context;
    const admitted = operations.admit(content.sizeBytes, recipients);
    const release = admitted === null ? null : await admitted;
    const raw = content.toBytes();
    try {
      await operations.receive({ mailFrom, recipients, raw, session: session.describe(transaction) });
    } finally {
      release?.();
    }
    const sizeBytes = raw.length;
    // Only now: a call that fails may have parts under way that still read these bytes.
    content.freeStored();
    session.mailCount += 1;
    session.context.metrics.mailAccepted(sizeBytes);
    session.context.log.debug({ sizeBytes, recipientCount: recipients.length }, "SMTP stored a mail");
    return stored;
  } finally {
    session.abort();
  }
}
