import { acceptMail } from "../accept-mail.ts";
import { OctetReader } from "../octet-reader.ts";
import { closing, mailNeeded, reply, silence, tooLarge, type Answer, type Reply } from "../reply.ts";
import type { Session, Transaction, Verb } from "../session.ts";
import { missingRecipient } from "./data.ts";

const syntax = /^(?<octets>\d{1,20})(?<last>[ \t]+LAST)?$/i;
const chunkTaken = reply("250 2.0.0", "Chunk taken");
// How many octets follow is unknown, so that whatever comes next could be content: nothing of it may be read.
const unreadable = closing(reply("501 5.5.4", "Syntax: BDAT size [LAST]", { refusal: "syntax" }));

/**
 * BDAT (RFC 3030 §2): reads one chunk of the mail, and hands the mail in after the last. The octets of a chunk that is
 * refused are read and dropped; they never become commands.
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
  return silence({
    kind: "content",
    reader: new OctetReader(octetCount, session.openContent(transaction)),
    answer: () => answerChunk(session, transaction, groups["last"] !== undefined),
  });
};

function answerChunk(session: Session, transaction: Transaction, isLast: boolean): Answer {
  if (isLast) return acceptMail(session, transaction);
  const refusal = transaction.content?.refusal ?? null;
  if (refusal === null) return chunkTaken;
  session.abort();
  return refusal;
}

function dropChunk(octetCount: number, answer: Reply): Reply {
  return silence({ kind: "content", reader: new OctetReader(octetCount, null), answer: () => answer });
}
