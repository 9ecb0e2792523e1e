import type { ServerId } from "../../../core/ids.ts";
import { isDeliverable, type ParameterRule, readParameters, readPath } from "../path.ts";
import { applyFault } from "../faults.ts";
import { chunksPending, mailNeeded, type PendingReply, reply, type Reply } from "../reply.ts";
import type { Session, Transaction, Verb } from "../session.ts";

const accepted = reply("250 2.1.5", "Ok");
const noPath = reply("501 5.5.4", "Syntax: RCPT TO:<address> [parameters]", { refusal: "syntax" });
const badRecipient = reply("501 5.1.3", "Error: bad recipient address syntax", { refusal: "syntax" });
const unknownRecipient = reply("550 5.1.1", "Recipient address rejected: User unknown", {
  refusal: "recipient_unknown",
});
const tooMany = reply("452 4.5.3", "Error: too many recipients", { refusal: "too_many_recipients" });

const parameterRules: ReadonlyMap<string, ParameterRule> = new Map<string, ParameterRule>([
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
  if (path === "no_path") return noPath;
  if (path === "bad_address" || !isDeliverable(path.address)) return badRecipient;
  const parameters = readParameters(path.parameters, parameterRules);
  if ("wire" in parameters) return parameters;
  if (transaction.recipients.length >= context.limits.recipientCountMax) return tooMany;
  const server = context.operations.resolveRecipient(path.address, session.authenticatedAs);
  return typeof server === "object"
    ? server.then((resolved) => checkRoom(session, path.address, resolved))
    : checkRoom(session, path.address, server);
};

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
        return accepted;
      },
      refuse,
    },
  );
}
