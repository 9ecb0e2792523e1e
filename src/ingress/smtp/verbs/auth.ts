import { greetingNeeded, reply, type Answer, type Reply } from "../reply.ts";
import type { SmtpAuthentication } from "../../../core/smtp-session.ts";
import type { Session, Verb } from "../session.ts";

const authenticated = reply("235 2.7.0", "Authenticated");
const wrongCredentials = reply("535 5.7.8", "User or password is wrong", { refusal: "authentication" });
const already = reply("503 5.5.1", "Already authenticated", { refusal: "sequence" });
const inTransaction = reply("503 5.5.1", "AUTH cannot come within a mail", { refusal: "sequence" });
const unknownMechanism = reply("504 5.5.4", "Mechanisms are PLAIN and LOGIN", { refusal: "syntax" });
const cancelled = reply("501 5.7.0", "Authentication cancelled", { refusal: "authentication" });
const undecodable = reply("501 5.5.2", "Not the base64 that this mechanism needs", { refusal: "syntax" });

/** Characters of a user name that are kept: the longest address (RFC 5321 §4.5.3.1). */
const userLengthMax = 320;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * AUTH (RFC 4954) with PLAIN (RFC 4616) and LOGIN, with and without initial response. Offered in clear as well: the
 * passwords open a server of a test service to mail and nothing else, and applications under test often have no TLS.
 */
export const auth: Verb = (session, argument) => {
  if (!session.isExtended) return greetingNeeded;
  if (session.auth !== null) return already;
  if (session.transaction !== null) return inTransaction;
  const [mechanism = "", initial, ...rest] = argument.split(/[ \t]+/);
  if (rest.length > 0) return undecodable;
  switch (mechanism.toUpperCase()) {
    case "PLAIN":
      return exchange("", initial, (response) => plain(session, response));
    case "LOGIN":
      return exchange("Username:", initial, (user) =>
        exchange("Password:", undefined, (password) => check(session, { user, password, mechanism: "LOGIN" })),
      );
    default:
      return unknownMechanism;
  }
};

/** Asks for one response, unless it came with the command, and goes on with what it says. */
function exchange(challenge: string, initial: string | undefined, proceed: (response: string) => Answer): Answer {
  const answer = (line: string): Answer => {
    if (line === "*") return cancelled;
    const response = decode(line);
    return response === undefined ? undecodable : proceed(response);
  };
  if (initial !== undefined) return initial === "=" ? proceed("") : answer(initial);
  return reply("334", Buffer.from(challenge).toString("base64"), { next: { kind: "line", answer } });
}

function plain(session: Session, response: string): Answer {
  const [authorizationId, user, password, ...rest] = response.split("\0");
  if (authorizationId === undefined || user === undefined || password === undefined) return undecodable;
  if (rest.length > 0) return undecodable;
  // Nobody here may speak for another.
  if (authorizationId !== "" && authorizationId !== user) return wrongCredentials;
  return check(session, { user, password, mechanism: "PLAIN" });
}

async function check(
  session: Session,
  { user, password, mechanism }: SmtpAuthentication & { readonly password: string },
): Promise<Reply> {
  const { clientAddress, context } = session;
  const server = await context.operations.authenticate({ user, password, clientAddress });
  if (server === undefined) return wrongCredentials;
  session.authenticatedAs = server;
  session.auth = { user: user.slice(0, userLengthMax), mechanism };
  return authenticated;
}

function decode(base64: string): string | undefined {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  try {
    return utf8.decode(Buffer.from(base64, "base64"));
  } catch {
    // Not UTF-8: answered with 501.
    return undefined;
  }
}
