import { acceptMail } from "../accept-mail.ts";
import { OctetReader } from "../octet-reader.ts";
import { closing, mailNeeded, reply, noReply, tooLarge, type PendingReply, type Reply } from "../reply.ts";
import type { Session, Transaction, Verb } from "../session.ts";
import { beginContent, missingRecipient, throttled } from "./data.ts";

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
  const { transaction } = session;
  if (transaction === null) return dropChunk(octetCount, mailNeeded);
  const missing = missingRecipient(transaction);
  if (missing !== null) return dropChunk(octetCount, missing);
  const readChunk = (): Reply =>
    noReply({
      kind: "content",
      reader: throttled(transaction, new OctetReader(octetCount, session.openContent(transaction))),
      respond: () => endChunk(session, transaction, groups["last"] !== undefined),
    });
  if (transaction.content !== null) return readChunk();
  return beginContent(session, transaction, {
    proceed: readChunk,
    refuse: (refusal) => dropChunk(octetCount, refusal),
  });
};

function endChunk(session: Session, transaction: Transaction, isLast: boolean): PendingReply {
  if (isLast) return acceptMail(session, transaction);
  const refusal = transaction.content?.refusal ?? null;
  if (refusal === null) return chunkReceived;
  session.abort();
  return refusal;
}

function dropChunk(octetCount: number, refusal: Reply): Reply {
  return noReply({ kind: "content", reader: new OctetReader(octetCount, null), respond: () => refusal });
}
