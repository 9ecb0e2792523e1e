import { acceptMail } from "../accept-mail.ts";
import { DotReader } from "../dot-reader.ts";
import { chunksUnderWay, mailNeeded, reply, unexpectedArgument, type Reply } from "../reply.ts";
import type { Transaction, Verb } from "../session.ts";

const goAhead = reply("354", "Send the mail, end it with CRLF.CRLF");
const recipientNeeded = reply("503 5.5.1", "Send RCPT first", { refusal: "sequence" });
const noneAccepted = reply("554 5.5.1", "No recipient was accepted", { refusal: "sequence" });

/** DATA (RFC 5321 §4.1.1.4): reads the mail up to CRLF.CRLF and hands it in. */
export const data: Verb = (session, argument) => {
  const { transaction } = session;
  if (argument !== "") return unexpectedArgument;
  if (transaction === null) return mailNeeded;
  if (transaction.content !== null) return chunksUnderWay;
  const missing = missingRecipient(transaction);
  if (missing !== null) return missing;
  const reader = new DotReader(session.openContent(transaction));
  return { ...goAhead, next: { kind: "content", reader, answer: () => acceptMail(session, transaction) } };
};

/** Why the content cannot come yet: no RCPT at all (503), or none that was accepted (554); null when it can. */
export function missingRecipient(transaction: Transaction): Reply | null {
  if (transaction.recipients.length > 0) return null;
  return transaction.refusedCount > 0 ? noneAccepted : recipientNeeded;
}
