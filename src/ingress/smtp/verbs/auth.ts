import { randomBytes } from "node:crypto";
import { parseServerId } from "../../../core/ids.ts";
import { bearerRefusal, type BearerMechanism, decodeBase64, readBearer, readPlain } from "../../lines/sasl.ts";
import { applyFault } from "../faults.ts";
import { greetingNeeded, reply, type Reply } from "../reply.ts";
import type { SaslMechanism, SaslProof } from "../../../core/smtp-session.ts";
import type { Session, Verb } from "../session.ts";

const authenticated = reply("235 2.7.0", "Authentication successful");
const wrongCredentials = reply("535 5.7.8", "Error: authentication failed: invalid credentials", {
  refusal: "authentication",
});
const alreadyAuthenticated = reply("503 5.5.1", "Error: already authenticated", { refusal: "sequence" });
/** RFC 4954 §4, RFC 3463 X.7.11. */
const encryptionNeeded = reply("538 5.7.11", "Encryption required for requested authentication mechanism", {
  refusal: "authentication",
});
const inTransaction = reply("503 5.5.1", "Error: MAIL transaction in progress", { refusal: "sequence" });
const unknownMechanism = reply("504 5.5.4", "Unrecognized authentication type", { refusal: "syntax" });
const cancelled = reply("501 5.7.0", "Authentication aborted", { refusal: "authentication" });
const undecodable = reply("501 5.5.2", "Cannot decode response", { refusal: "syntax" });

/** Length at which stored user names are cut: the longest address (RFC 5321 §4.5.3.1). */
const userLengthMax = 320;

/**
 * AUTH (RFC 4954) with PLAIN (RFC 4616), LOGIN, CRAM-MD5 (RFC 2195), XOAUTH2 (as Gmail and Outlook define it) and
 * OAUTHBEARER (RFC 7628), with and without initial response. Also offered without TLS, unless mail arrives from the Internet:
 * passwords only allow mail into a test server, and applications under test often have no TLS.
 */
export const auth: Verb = (session, argument) => {
  const refusal = refusalOf(session);
  if (refusal !== null) return refusal;
  const [mechanism = "", initial, ...rest] = argument.split(/[ \t]+/);
  if (rest.length > 0) return undecodable;
  switch (mechanism.toUpperCase()) {
    case "PLAIN":
      return plain(session, initial);
    case "LOGIN":
      return login(session, initial);
    case "CRAM-MD5":
      return initial === undefined ? cramMd5(session) : undecodable;
    case "XOAUTH2":
      return bearer(session, "XOAUTH2", initial);
    case "OAUTHBEARER":
      return bearer(session, "OAUTHBEARER", initial);
    default:
      return unknownMechanism;
  }
};

/** Returns the reply to AUTH in a session that may not use it now; null for others. */
function refusalOf(session: Session): Reply | null {
  if (!session.isExtended) return greetingNeeded;
  if (session.auth !== null) return alreadyAuthenticated;
  if (!mayAuthenticate(session)) return encryptionNeeded;
  return session.transaction === null ? null : inTransaction;
}

/** Returns whether the connection of a session is secret enough for AUTH. */
export function mayAuthenticate({ tls, clientAddress, context }: Session): boolean {
  return tls !== null || context.allowsClearTextAuth?.(clientAddress) !== false;
}

/** Returns the decoded response to a challenge, which is not sent when the command contained the response; or the reply to a wrong one. */
async function exchange(session: Session, challenge: string, initial?: string): Promise<string | Reply | null> {
  if (initial === "=") return "";
  const line = initial ?? (await session.ask(challenge));
  if (typeof line !== "string") return line;
  return line === "*" ? cancelled : (decodeBase64(line) ?? undecodable);
}

async function plain(session: Session, initial: string | undefined): Promise<Reply | null> {
  const response = await exchange(session, "", initial);
  if (typeof response !== "string") return response;
  const read = readPlain(response);
  if (read === undefined) return undecodable;
  const { user, password, namesAnother } = read;
  return await check(session, { user, namesAnother, mechanism: "PLAIN", proof: { kind: "password", password } });
}

async function login(session: Session, initial: string | undefined): Promise<Reply | null> {
  const user = await exchange(session, "Username:", initial);
  if (typeof user !== "string") return user;
  const password = await exchange(session, "Password:");
  if (typeof password !== "string") return password;
  return await check(session, { user, mechanism: "LOGIN", proof: { kind: "password", password } });
}

/** The challenge names this service and is never repeated (RFC 2195 §2). */
async function cramMd5(session: Session): Promise<Reply | null> {
  const challenge = `<${randomBytes(16).toString("hex")}@${session.context.hostname}>`;
  const response = await exchange(session, challenge);
  if (typeof response !== "string") return response;
  const [, user, digest] = /^(.+) ([0-9a-f]{32})$/is.exec(response) ?? [];
  if (user === undefined || digest === undefined) return undecodable;
  const proof = { kind: "digest", challenge, digest: digest.toLowerCase() } as const;
  return await check(session, { user, mechanism: "CRAM-MD5", proof });
}

/** XOAUTH2 (as Gmail and Outlook define it) and OAUTHBEARER. */
async function bearer(
  session: Session,
  mechanism: BearerMechanism,
  initial: string | undefined,
): Promise<Reply | null> {
  const response = await exchange(session, "", initial);
  if (typeof response !== "string") return response;
  const read = readBearer(mechanism, response);
  if (read === undefined) return undecodable;
  const { user, token } = read;
  const result = await check(session, { user, mechanism, proof: { kind: "token", token } });
  if (result !== wrongCredentials) return result;
  const line = await session.ask(bearerRefusal(mechanism));
  return typeof line === "string" ? wrongCredentials : line;
}

interface Claim {
  readonly user: string;
  readonly mechanism: SaslMechanism;
  readonly proof: SaslProof;
  /** Whether the client names another authorization identity (RFC 4616): a server cannot act for another one. */
  readonly namesAnother?: boolean;
}

/** Checks credentials. A fault that refuses them does so unchecked. */
async function check(session: Session, claim: Claim): Promise<Reply> {
  const userName = claim.user.slice(0, userLengthMax);
  const server = parseServerId(userName.split("@", 1)[0] ?? "") ?? null;
  const refusal = await applyFault<Reply | null>(session, { stage: "auth", server, userName }, { proceed: () => null });
  return refusal ?? (await authenticate(session, claim));
}

async function authenticate(session: Session, { user, mechanism, proof, namesAnother = false }: Claim): Promise<Reply> {
  const { clientAddress, context } = session;
  const server = await context.operations.authenticate({ user, proof, clientAddress });
  if (server === undefined || (server !== null && namesAnother)) return wrongCredentials;
  session.authenticatedAs = server;
  session.auth = { user: user.slice(0, userLengthMax), mechanism };
  session.token = proof.kind === "token" && server !== null ? { user, token: proof.token } : null;
  return authenticated;
}
