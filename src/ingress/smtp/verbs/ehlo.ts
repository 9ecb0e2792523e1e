import type { FaultTlsFailure } from "../../../core/fault.ts";
import { saslMechanisms } from "../../../core/smtp-session.ts";
import { applyFault } from "../faults.ts";
import { type PendingReply, reply, type Reply, replyLines, unexpectedArgument, unknownCommand } from "../reply.ts";
import type { Session, Verb } from "../session.ts";
import { mayAuthenticate } from "./auth.ts";

/** 501: EHLO or HELO without a name. */
const nameNeeded: Reply = reply("501 5.5.4", "Syntax: EHLO hostname", { refusal: "syntax" });

/** EHLO (RFC 5321 §4.1.1.1): records the client's name, aborts a transaction, lists the extensions. */
export const ehlo: Verb = (session, argument) =>
  session.isLmtp ? unknownCommand : introduceExtended(session, argument);

/** Responds to EHLO, and to LHLO of LMTP. */
function introduceExtended(session: Session, argument: string): PendingReply {
  if (argument === "") return nameNeeded;
  return introduce(session, argument, () => {
    session.isExtended = true;
    return replyLines("250", [session.context.hostname, ...extensions(session)]);
  });
}

/** Records the client's name and aborts a transaction, unless a fault refuses; `respond` returns the reply. */
function introduce(session: Session, name: string, respond: () => Reply): PendingReply {
  return applyFault(
    session,
    { stage: "ehlo" },
    {
      proceed: () => {
        session.abort();
        session.ehlo = name;
        return respond();
      },
    },
  );
}

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
    ...(session.auth === null && mayAuthenticate(session) ? [`AUTH ${saslMechanisms.join(" ")}`] : []),
  ];
}

/** LHLO (RFC 2033 §4.1): EHLO of LMTP, which has neither EHLO nor HELO. */
export const lhlo: Verb = (session, argument) =>
  session.isLmtp ? introduceExtended(session, argument) : unknownCommand;

/** HELO (RFC 5321 §4.1.1.1): greeting of clients without extensions. */
export const helo: Verb = (session, argument) => {
  if (session.isLmtp) return unknownCommand;
  if (argument === "") return nameNeeded;
  return introduce(session, argument, () => {
    session.isExtended = false;
    return reply("250", session.context.hostname);
  });
};

const ready = reply("220 2.0.0", "Ready to start TLS");
const unavailable = reply("454 4.7.0", "TLS not available due to local problem", { refusal: "fault" });
const notOffered = reply("502 5.5.1", "Error: command not implemented", { refusal: "syntax" });
const alreadySecure = reply("503 5.5.1", "Error: TLS already active", { refusal: "sequence" });

/** STARTTLS (RFC 3207): drops pipelined clear text and resets the session. */
export const starttls: Verb = (session, argument) => {
  if (argument !== "") return unexpectedArgument;
  if (session.tls !== null) return alreadySecure;
  if (!session.isTlsAccepted) return notOffered;
  return secure(session);
};

async function secure(session: Session): Promise<Reply | null> {
  let tlsFault: FaultTlsFailure | null = null;
  const refusal = await applyFault<Reply | null>(
    session,
    { stage: "starttls", isTlsHandshake: true },
    {
      proceed: (then) => {
        if (then?.tls === "refuse") return unavailable;
        tlsFault = then?.tls ?? null;
        return null;
      },
    },
  );
  if (refusal !== null) return refusal;
  session.send(ready);
  await session.startTls(tlsFault);
  return null;
}
