import { acceptMail } from "../accept-mail.ts";
import { DotReader } from "../dot-reader.ts";
import { applyFault } from "../faults.ts";
import { type ContentReader, OctetReader } from "../input.ts";
import { chunksPending, closing, mailNeeded, reply, type Reply, tooLarge, unexpectedArgument } from "../reply.ts";
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
function beginContent(session: Session, transaction: Transaction): Promise<Reply | null> | Reply | null {
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
function throttled({ throttle }: Transaction, reader: ContentReader): ContentReader {
  return throttle === null ? reader : new ThrottledReader(reader, throttle);
}

/** Returns the refusal of content without a recipient: 503 without RCPT, 554 when none was accepted; null otherwise. */
function missingRecipient(transaction: Transaction): Reply | null {
  if (transaction.recipients.length > 0) return null;
  return transaction.refusedCount > 0 ? noneAccepted : recipientNeeded;
}

const syntax = /^(?<octets>\d{1,20})(?<last>[ \t]+LAST)?$/i;
const chunkReceived = reply("250 2.0.0", "Ok: chunk received");
// The number of octets that follow is unknown: they could be content and must not be read as commands.
const unreadable = closing(reply("501 5.5.4", "Syntax: BDAT size [LAST]", { refusal: "syntax" }));

/**
 * BDAT (RFC 3030 §2): reads one chunk of the mail and stores the mail after the last. The octets of a rejected chunk are
 * read and dropped; they never become commands.
 */
export const bdat: Verb = (session, argument) => {
  const groups = syntax.exec(argument)?.groups;
  if (groups === undefined) return unreadable;
  const octetCount = Number(groups["octets"]);
  if (octetCount > 2 * session.context.limits.messageBytesMax) return closing(tooLarge);
  return readChunk(session, octetCount, groups["last"] !== undefined);
};

async function readChunk(session: Session, octetCount: number, isLast: boolean): Promise<Reply | null> {
  const { transaction } = session;
  const refusal = transaction === null ? mailNeeded : await refusalOf(session, transaction);
  if (transaction === null || refusal !== null) {
    if (refusal?.end === "close" && refusal.wire === "") return refusal;
    return (await session.readContent(new OctetReader(octetCount, null))) ? refusal : null;
  }
  const reader = throttled(transaction, new OctetReader(octetCount, session.openContent(transaction)));
  if (!(await session.readContent(reader))) return null;
  return isLast ? await acceptMail(session, transaction) : endChunk(session, transaction);
}

/** Returns the reply that rejects the content of a transaction before it is read; null for none. */
function refusalOf(session: Session, transaction: Transaction): Promise<Reply | null> | Reply | null {
  const missing = missingRecipient(transaction);
  return missing === null && transaction.content === null ? beginContent(session, transaction) : missing;
}

function endChunk(session: Session, transaction: Transaction): Reply {
  const refusal = transaction.content?.refusal ?? null;
  if (refusal === null) return chunkReceived;
  session.abort();
  return refusal;
}
