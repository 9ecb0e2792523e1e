/** DATA and BDAT, which read the content of a mail and store it. */
import { Problem } from "../../../core/errors.ts";
import type { FaultOutcome } from "../../../core/fault.ts";
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import { hasTooManyHops } from "../../../core/request-hops.ts";
import type { ResolvedRecipient } from "../../../core/smtp-session.ts";
import { DotReader, OctetReader, ThrottledReader } from "../content-readers.ts";
import { applyFault, connectionReset, decideFault, replyLost, replyOfFault } from "../faults.ts";
import type { ContentReader } from "../input.ts";
import {
  chunksPending,
  closing,
  mailNeeded,
  reply,
  type Reply,
  replyToError,
  tooLarge,
  unexpectedArgument,
} from "../reply.ts";
import type { Session, Transaction, Verb } from "../session.ts";

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

/** RFC 5321 §6.3, RFC 3463 X.4.6. */
const tooManyHops = reply("554 5.4.6", "Error: too many hops", { refusal: "routing_loop" });
/** Ids in a reply: an id has 36 characters, a line at most 512 (RFC 5321 §4.5.3.1.5). */
const shownIdCountMax = 12;

/** Reply to a stored mail of a client that may not learn its id, which tells the server. */
const queued = reply("250 2.0.0", "Ok: queued");

/** Returns whether the client of a session may learn the ids of messages: not one from the Internet. */
function mayLearnIds({ auth, context }: Session): boolean {
  return auth !== null || context.operations.screenRecipient === undefined;
}

/** Returns the reply to a stored mail: the id of its first message, then those of messages in other servers. */
function queuedAs(session: Session, [first = "", ...others]: readonly string[]): Reply {
  if (!mayLearnIds(session)) return queued;
  const shown = others.slice(0, shownIdCountMax - 1);
  return reply("250 2.0.0", `Ok: queued as ${first}${shown.length === 0 ? "" : ` (and ${shown.join(" ")})`}`);
}

/**
 * Stores a complete mail and ends its transaction; replies 250 after the commit. Returns the refusal of a mail that
 * was rejected during its transfer, or by a fault. Rejects with the errors of the operations.
 */
async function acceptMail(session: Session, transaction: Transaction): Promise<Reply> {
  if (!session.isLmtp) return accept(session, transaction);
  const answer = await accept(session, transaction).catch((error: unknown) => session.replyToError(error));
  // Replies to stored mail are those of all recipients already; others are sent once for each (RFC 2033 §4.2).
  if (answer.refusal === null && answer.code === 250) return answer;
  return { ...answer, wire: answer.wire.repeat(transaction.recipients.length) };
}

/** Returns the replies of LMTP to a stored mail, of which each names the message of a recipient's server. */
function queuedForEach(session: Session, recipients: readonly ResolvedRecipient[], ids: readonly MessageId[]): Reply {
  const idByServer = new Map(ids.map((id) => [decodeMessageId(id).server, id]));
  const replies = recipients.map(({ server }) => {
    const id = idByServer.get(server);
    return id === undefined ? replyToError(new Problem("recipient_unknown")) : queuedAs(session, [id]);
  });
  return { ...queuedAs(session, ids), wire: replies.map(({ wire }) => wire).join("") };
}

async function accept(session: Session, transaction: Transaction): Promise<Reply> {
  try {
    const { refusal } = session.openContent(transaction);
    if (refusal !== null) return refusal;
    const { mailFrom: sender, recipients } = transaction;
    const pending = decideFault(session, { stage: "after-data", sender, recipients });
    const decision = pending === null ? null : await pending;
    if (decision !== null) session.noteFaults("after-data", decision);
    return await acceptWith(session, transaction, decision?.then ?? {});
  } finally {
    session.abort();
  }
}

/** Stores a mail unless the fault drops or refuses it; delays the reply afterwards. */
async function acceptWith(session: Session, transaction: Transaction, fault: FaultOutcome): Promise<Reply> {
  const { drop = false, loseReply = false, reply: given, delayMs = 0 } = fault;
  let answer = given === undefined ? connectionReset : replyOfFault(given);
  if (!drop && given === undefined) {
    answer = await storeMail(session, transaction, !loseReply);
    if (answer.refusal !== null) return answer;
  }
  // Before the delay, so that delayed sessions hold no content.
  session.abort();
  await session.delay(delayMs);
  if (drop) return connectionReset;
  if (loseReply) return replyLost;
  return session.isEvicted ? closing(answer) : answer;
}

/** Stores a mail, with the reply to it in its transcript when it is sent. Returns the reply, or the refusal of a mail in a loop. */
async function storeMail(session: Session, transaction: Transaction, isReplied: boolean): Promise<Reply> {
  const { operations, metrics, log } = session.context;
  const content = session.openContent(transaction);
  const { beganAt, mailFrom, recipients, late } = transaction;
  const faults = session.faultsOf(transaction);
  const admitted = operations.admit(content.sizeBytes, recipients);
  const release = admitted === null ? null : await admitted;
  const raw = content.toBytes();
  let ids: readonly MessageId[];
  try {
    if (hasTooManyHops(raw)) return tooManyHops;
    ids = await operations.receive({
      beganAt,
      mailFrom,
      recipients,
      raw,
      session: session.describe(transaction),
      // Each server sees the id of its own message, in LMTP once for each of its recipients.
      transcript: (server, id) => {
        const own = session.isLmtp ? recipients.filter((one) => one.server === server) : [null];
        return session.transcript.encodeFor(server, isReplied ? queuedAs(session, [id]).wire.repeat(own.length) : "");
      },
      ...(faults.length > 0 && { faults }),
      ...(late.length > 0 && { late }),
    });
    session.transcript.completeTransaction();
  } finally {
    release?.();
  }
  const sizeBytes = raw.length;
  // Only after success: parts of a failed call may still read these bytes.
  content.freeStored();
  session.connection.noteMail();
  metrics.mailAccepted(sizeBytes);
  log.debug({ sizeBytes, recipientCount: recipients.length }, "SMTP stored a mail");
  return session.isLmtp ? queuedForEach(session, recipients, ids) : queuedAs(session, ids);
}
