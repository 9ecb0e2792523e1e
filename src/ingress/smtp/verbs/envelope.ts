/** MAIL and RCPT, which build the envelope. */
import type { ServerId } from "../../../core/ids.ts";
import { greylistText, type Screening } from "../../../core/smtp-session.ts";
import { applyFault } from "../faults.ts";
import { isDeliverable, type ParameterRule, readParameters, readPath } from "../path.ts";
import {
  chunksPending,
  greetingNeeded,
  mailNeeded,
  overloaded,
  type PendingReply,
  reply,
  type Reply,
  tooLarge,
} from "../reply.ts";
import type { Session, Transaction, Verb } from "../session.ts";

const senderAccepted = reply("250 2.1.0", "Ok");
const authenticationNeeded = reply("530 5.7.0", "Authentication required", { refusal: "authentication" });
const tokenEnded = reply("535 5.7.8", "Error: authentication failed: the token is no longer valid", {
  refusal: "authentication",
  end: "close",
});
const nested = reply("503 5.5.1", "Error: nested MAIL command", { refusal: "sequence" });
const noSender = reply("501 5.5.4", "Syntax: MAIL FROM:<address> [parameters]", { refusal: "syntax" });
const badSender = reply("501 5.1.7", "Error: bad sender address syntax", { refusal: "syntax" });

const mailParameters: ReadonlyMap<string, ParameterRule> = new Map<string, ParameterRule>([
  ["SIZE", (value) => /^\d{1,20}$/.test(value ?? "")],
  ["BODY", (value) => /^(?:7BIT|8BITMIME)$/i.test(value ?? "")],
  ["SMTPUTF8", (value) => value === undefined],
  ["RET", (value) => /^(?:FULL|HDRS)$/i.test(value ?? "")],
  ["ENVID", (value) => /^[!-~]{1,100}$/.test(value ?? "")],
  ["AUTH", (value) => value !== undefined && value !== ""],
]);

/**
 * MAIL (RFC 5321 §4.1.1.2): starts a transaction. Rejects or defers a mail whose declared SIZE exceeds the limit or the free
 * memory (RFC 1870 §6.1).
 */
export const mail: Verb = (session, argument) => {
  if (session.ehlo === null) return greetingNeeded;
  if (session.context.isAuthRequired === true && session.auth === null) return authenticationNeeded;
  if (session.transaction !== null) return nested;
  const path = readPath("FROM", argument);
  if (path === "no_path") return noSender;
  if (path === "bad_address") return badSender;
  const parameters = readParameters(path.parameters, mailParameters);
  if ("wire" in parameters) return parameters;
  const sizeBytes = Number(parameters.get("SIZE") ?? 0);
  if (sizeBytes > session.context.limits.messageBytesMax) return tooLarge;
  if (!session.context.budget.hasRoom(sizeBytes)) return overloaded;
  const begin = (): PendingReply =>
    applyFault(
      session,
      { stage: "mail", sender: path.address },
      {
        proceed: () => {
          session.begin({ mailFrom: path.address, isUtf8: parameters.has("SMTPUTF8"), declaredBytes: sizeBytes });
          return senderAccepted;
        },
      },
    );
  if (session.token === null) return begin();
  return isTokenValid(session, session.token).then((isValid) => (isValid ? begin() : tokenEnded));
};

async function isTokenValid(
  { context, clientAddress, authenticatedAs }: Session,
  { user, token }: NonNullable<Session["token"]>,
): Promise<boolean> {
  const proof = { kind: "token", token } as const;
  return (await context.operations.authenticate({ user, proof, clientAddress })) === authenticatedAs;
}

const recipientAccepted = reply("250 2.1.5", "Ok");
const noRecipient = reply("501 5.5.4", "Syntax: RCPT TO:<address> [parameters]", { refusal: "syntax" });
const badRecipient = reply("501 5.1.3", "Error: bad recipient address syntax", { refusal: "syntax" });
const unknownRecipient = reply("550 5.1.1", "Recipient address rejected: User unknown", {
  refusal: "recipient_unknown",
});
const relayDenied = reply("554 5.7.1", "Relay access denied", { refusal: "relay_denied" });
const tooFast = reply("450 4.7.1", "Error: too many recipients from your network; try again later", {
  refusal: "rate",
});
const tooMany = reply("452 4.5.3", "Error: too many recipients", { refusal: "too_many_recipients" });

const rcptParameters: ReadonlyMap<string, ParameterRule> = new Map<string, ParameterRule>([
  ["NOTIFY", (value) => /^(?:NEVER|(?:SUCCESS|FAILURE|DELAY)(?:,(?:SUCCESS|FAILURE|DELAY)){0,2})$/i.test(value ?? "")],
  ["ORCPT", (value) => /^[^;\s]+;\S+$/.test(value ?? "")],
]);

/**
 * RCPT (RFC 5321 §4.1.1.3): adds a recipient. Repeated recipients stay in the envelope, which is stored as it was given.
 */
export const rcpt: Verb = (session, argument) => {
  const { transaction, context } = session;
  if (transaction === null) return mailNeeded;
  if (transaction.content !== null) return chunksPending;
  const path = readPath("TO", argument);
  if (path === "no_path") return noRecipient;
  if (path === "bad_address" || !isDeliverable(path.address)) return badRecipient;
  const parameters = readParameters(path.parameters, rcptParameters);
  if ("wire" in parameters) return parameters;
  if (transaction.recipients.length >= context.limits.recipientCountMax) return tooMany;
  const screened = screen(session, transaction, path.address);
  if (screened === null) return resolve(session, path.address);
  return screened instanceof Promise
    ? screened.then((reason) => judgeScreening(session, path.address, reason))
    : judgeScreening(session, path.address, screened);
};

/** Screens a recipient of a client without AUTH. */
function screen(
  { auth, clientAddress, context }: Session,
  { mailFrom }: Transaction,
  address: string,
): Promise<Screening | null> | Screening | null {
  if (auth !== null) return null;
  return context.operations.screenRecipient?.({ clientAddress, mailFrom, address }) ?? null;
}

function judgeScreening(session: Session, address: string, reason: Screening | null): PendingReply {
  if (reason === null) return resolve(session, address);
  if (session.transaction !== null) session.transaction.refusedCount += 1;
  return replyToScreening(reason);
}

function replyToScreening(reason: Screening): Reply {
  if (reason.kind === "relay_denied") return relayDenied;
  if (reason.kind === "too_many_recipients") return tooFast;
  if (reason.kind === "greylisted") return reply("451 4.7.1", greylistText(reason.waitMs), { refusal: "greylisted" });
  const text = `Service unavailable; client host blocked using ${reason.list}`;
  return reply("554 5.7.1", text, { refusal: "block_list" });
}

/** Finds the server of a recipient. */
function resolve(session: Session, address: string): PendingReply {
  const server = session.context.operations.resolveRecipient(address, session.authenticatedAs);
  return typeof server === "object"
    ? server.then((resolved) => checkRoom(session, address, resolved))
    : checkRoom(session, address, server);
}

/** Defers the recipients of a server over quota, so that the mail reaches the others. */
function checkRoom(session: Session, address: string, server: ServerId | undefined): PendingReply {
  const { transaction, context } = session;
  if (transaction === null) return mailNeeded;
  if (server !== undefined) session.transcript.assignTo(server);
  const room = server === undefined ? null : context.operations.requireRoom(server, transaction.declaredBytes);
  return room === null
    ? judgeRecipient(session, transaction, { address, server })
    : room.then(
        () => judgeRecipient(session, transaction, { address, server }),
        (error: unknown) => {
          transaction.refusedCount += 1;
          throw error;
        },
      );
}

function judgeRecipient(
  session: Session,
  transaction: Transaction,
  { address, server }: { readonly address: string; readonly server: ServerId | undefined },
): PendingReply {
  const refuse = (refusal: Reply): Reply => {
    transaction.refusedCount += 1;
    return refusal;
  };
  if (server === undefined) return refuse(unknownRecipient);
  const recipient = { address, server };
  return applyFault(
    session,
    { stage: "rcpt", sender: transaction.mailFrom, recipients: [recipient] },
    {
      proceed: () => {
        transaction.recipients.push(recipient);
        return recipientAccepted;
      },
      refuse,
    },
  );
}
