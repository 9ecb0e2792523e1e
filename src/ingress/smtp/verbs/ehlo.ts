import { saslMechanisms } from "../../../core/smtp-session.ts";
import { reply, replyLines, type Reply } from "../reply.ts";
import type { Session, Verb } from "../session.ts";

/** 501: EHLO or HELO without a name. */
export const nameNeeded: Reply = reply("501 5.5.4", "Syntax: EHLO hostname", { refusal: "syntax" });

/** EHLO (RFC 5321 §4.1.1.1): records the client's name, aborts a transaction, lists the extensions. */
export const ehlo: Verb = (session, argument) => {
  if (argument === "") return nameNeeded;
  session.abort();
  session.ehlo = argument;
  session.isExtended = true;
  return replyLines("250", [session.context.hostname, ...extensions(session)]);
};

/** Without BINARYMIME: such a mail could not be forwarded to a server that lacks the extension. */
function extensions(session: Session): string[] {
  return [
    "PIPELINING",
    `SIZE ${session.context.limits.messageBytesMax}`,
    "8BITMIME",
    "SMTPUTF8",
    "ENHANCEDSTATUSCODES",
    "DSN",
    "CHUNKING",
    ...(session.isTlsOffered ? ["STARTTLS"] : []),
    ...(session.auth === null ? [`AUTH ${saslMechanisms.join(" ")}`] : []),
  ];
}
