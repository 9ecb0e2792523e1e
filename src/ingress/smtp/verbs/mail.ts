import { type ParameterRule, readParameters, readPath } from "../path.ts";
import { applyFault } from "../faults.ts";
import { greetingNeeded, overloaded, reply, type PendingReply, tooLarge } from "../reply.ts";
import type { Session, Verb } from "../session.ts";

const accepted = reply("250 2.1.0", "Ok");
const authenticationNeeded = reply("530 5.7.0", "Authentication required", { refusal: "authentication" });
const tokenEnded = reply("535 5.7.8", "Error: authentication failed: the token is no longer valid", {
  refusal: "authentication",
  end: "close",
});
const nested = reply("503 5.5.1", "Error: nested MAIL command", { refusal: "sequence" });
const noPath = reply("501 5.5.4", "Syntax: MAIL FROM:<address> [parameters]", { refusal: "syntax" });
const badSender = reply("501 5.1.7", "Error: bad sender address syntax", { refusal: "syntax" });

const parameterRules: ReadonlyMap<string, ParameterRule> = new Map<string, ParameterRule>([
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
  if (path === "no_path") return noPath;
  if (path === "bad_address") return badSender;
  const parameters = readParameters(path.parameters, parameterRules);
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
          return accepted;
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
