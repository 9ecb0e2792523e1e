import type { FaultOutcome } from "../../core/fault.ts";
import type { ResolvedRecipient } from "../../core/smtp-session.ts";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { hasTooManyHops } from "../../core/request-hops.ts";
import { connectionReset, decideFault, replyLost, replyOfFault } from "./faults.ts";
import { closing, reply, replyToError, type Reply } from "./reply.ts";
import type { Session, Transaction } from "./session.ts";

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
export async function acceptMail(session: Session, transaction: Transaction): Promise<Reply> {
  if (!session.isLmtp) return accept(session, transaction);
  const answer = await accept(session, transaction).catch((error: unknown) => session.replyToError(error));
  // Replies to stored mail are those of all recipients already.
  return answer.refusal === null && answer.code === 250 ? answer : forEachOf(transaction.recipients, answer);
}

/** Returns a reply that is sent once for each recipient (RFC 2033 §4.2). */
function forEachOf({ length }: readonly ResolvedRecipient[], given: Reply): Reply {
  return { ...given, wire: given.wire.repeat(length) };
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
