import { greetingNeeded, reply, type PendingReply, type Reply } from "../reply.ts";
import type { SmtpAuthentication } from "../../../core/smtp-session.ts";
import type { Session, Verb } from "../session.ts";

const authenticated = reply("235 2.7.0", "Authentication successful");
const wrongCredentials = reply("535 5.7.8", "Error: authentication failed: invalid credentials", {
  refusal: "authentication",
});
const alreadyAuthenticated = reply("503 5.5.1", "Error: already authenticated", { refusal: "sequence" });
const inTransaction = reply("503 5.5.1", "Error: MAIL transaction in progress", { refusal: "sequence" });
const unknownMechanism = reply("504 5.5.4", "Unrecognized authentication type", { refusal: "syntax" });
const cancelled = reply("501 5.7.0", "Authentication aborted", { refusal: "authentication" });
const undecodable = reply("501 5.5.2", "Cannot decode response", { refusal: "syntax" });

/** Length at which stored user names are cut: the longest address (RFC 5321 §4.5.3.1). */
const userLengthMax = 320;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * AUTH (RFC 4954) with PLAIN (RFC 4616) and LOGIN, with and without initial response. Also offered without TLS: passwords
 * only allow mail into a test server, and applications under test often have no TLS.
 */
export const auth: Verb = (session, argument) => {
  if (!session.isExtended) return greetingNeeded;
  if (session.auth !== null) return alreadyAuthenticated;
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

/** Requests a response unless the command contained one, and passes it to the next step. */
function exchange(
  challenge: string,
  initial: string | undefined,
  proceed: (response: string) => PendingReply,
): PendingReply {
  const respond = (line: string): PendingReply => {
    if (line === "*") return cancelled;
    const response = decode(line);
    return response === undefined ? undecodable : proceed(response);
  };
  if (initial !== undefined) return initial === "=" ? proceed("") : respond(initial);
  return reply("334", Buffer.from(challenge).toString("base64"), { next: { kind: "line", respond } });
}

function plain(session: Session, response: string): PendingReply {
  const [authorizationId, user, password, ...rest] = response.split("\0");
  if (authorizationId === undefined || user === undefined || password === undefined) return undecodable;
  if (rest.length > 0) return undecodable;
  // Authorization as another user is not supported.
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
    // Not UTF-8: the reply is 501.
    return undefined;
  }
}
