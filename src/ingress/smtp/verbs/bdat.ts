import { acceptMail } from "../accept-mail.ts";
import { OctetReader } from "../octet-reader.ts";
import { closing, mailNeeded, reply, tooLarge, type Reply } from "../reply.ts";
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
