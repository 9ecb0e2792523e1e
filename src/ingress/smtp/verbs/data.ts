import { acceptMail } from "../accept-mail.ts";
import { DotReader } from "../dot-reader.ts";
import { applyFault } from "../faults.ts";
import { chunksPending, mailNeeded, reply, unexpectedArgument, type Reply } from "../reply.ts";
import type { ContentReader } from "../input.ts";
import type { Session, Transaction, Verb } from "../session.ts";
import { ThrottledReader } from "../throttle.ts";

const goAhead = reply("354", "End data with <CR><LF>.<CR><LF>");
/** The mail of such a client would never end, because only CRLF.CRLF ends it; what follows is not read as commands. */
const crlfNeeded = reply(
  "500 5.5.2",
  "Error: lines must end with CRLF, but this one ended with LF; a mail ends with CRLF.CRLF",
  {
    refusal: "syntax",
    end: "close",
  },
);
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
  return session.isCommandWithCr ? readMail(session, transaction) : crlfNeeded;
};

async function readMail(session: Session, transaction: Transaction): Promise<Reply | null> {
  const refusal = await beginContent(session, transaction);
  if (refusal !== null) return refusal;
  const reader = throttled(transaction, new DotReader(session.openContent(transaction)));
  session.send(goAhead);
  return (await session.readContent(reader)) ? await acceptMail(session, transaction) : null;
}

/** Applies the faults of stage `data` before the content; returns a refusal, which aborts the transaction, or null. */
export function beginContent(session: Session, transaction: Transaction): Promise<Reply | null> | Reply | null {
  const { mailFrom: sender, recipients } = transaction;
  return applyFault<Reply | null>(
    session,
    { stage: "data", sender, recipients },
    {
      proceed: (then) => {
        if (then?.throttle !== undefined) session.throttle(transaction, then.throttle);
        return null;
      },
      refuse: (refusal) => {
        session.abort();
        return refusal;
      },
    },
  );
}

/** Returns a reader that is slowed down by the throttle of the transaction, if it has one. */
export function throttled({ throttle }: Transaction, reader: ContentReader): ContentReader {
  return throttle === null ? reader : new ThrottledReader(reader, throttle);
}

/** Returns the refusal of content without a recipient: 503 without RCPT, 554 when none was accepted; null otherwise. */
export function missingRecipient(transaction: Transaction): Reply | null {
  if (transaction.recipients.length > 0) return null;
  return transaction.refusedCount > 0 ? noneAccepted : recipientNeeded;
}
