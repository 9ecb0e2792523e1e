import type { ServerId } from "../../core/ids.ts";
import { reply, type Reply } from "./reply.ts";
import type { Session, Transaction } from "./session.ts";

const stored = reply("250 2.0.0", "Ok: message stored");

/**
 * Stores a complete mail and ends its transaction; replies 250 after the commit. Returns the refusal of a mail that
 * was rejected during its transfer. Rejects with the errors of the operations.
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
      const transcript = (server: ServerId): string => session.transcript.encodeFor(server, stored.wire);
      await operations.receive({ mailFrom, recipients, raw, session: session.describe(transaction), transcript });
      session.transcript.completeTransaction();
    } finally {
      release?.();
    }
    const sizeBytes = raw.length;
    // Only after success: parts of a failed call may still read these bytes.
    content.freeStored();
    session.mailCount += 1;
    session.context.metrics.mailAccepted(sizeBytes);
    session.context.log.debug({ sizeBytes, recipientCount: recipients.length }, "SMTP stored a mail");
    return stored;
  } finally {
    session.abort();
  }
}
