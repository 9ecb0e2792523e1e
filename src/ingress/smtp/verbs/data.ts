import { acceptMail } from "../accept-mail.ts";
import { DotReader } from "../dot-reader.ts";
import { chunksPending, mailNeeded, reply, unexpectedArgument, type Reply } from "../reply.ts";
import type { Transaction, Verb } from "../session.ts";

const goAhead = reply("354", "End data with <CR><LF>.<CR><LF>");
const recipientNeeded = reply("503 5.5.1", "Error: need RCPT command", { refusal: "sequence" });
const noneAccepted = reply("554 5.5.1", "Error: no valid recipients", { refusal: "sequence" });

/** DATA (RFC 5321 §4.1.1.4): reads the mail up to CRLF.CRLF and stores it. */
export const data: Verb = (session, argument) => {
  const { transaction } = session;
  if (argument !== "") return unexpectedArgument;
  if (transaction === null) return mailNeeded;
  if (transaction.content !== null) return chunksPending;
  const missing = missingRecipient(transaction);
  if (missing !== null) return missing;
  const reader = new DotReader(session.openContent(transaction));
  return { ...goAhead, next: { kind: "content", reader, respond: () => acceptMail(session, transaction) } };
};

/** Returns the refusal of content without a recipient: 503 without RCPT, 554 when none was accepted; null otherwise. */
export function missingRecipient(transaction: Transaction): Reply | null {
  if (transaction.recipients.length > 0) return null;
  return transaction.refusedCount > 0 ? noneAccepted : recipientNeeded;
}
