/** Commands that are valid in every state, and those that begin a session (RFC 9051 sections 6.1 and 6.2). */
import {
  bearerMechanism,
  type BearerMechanism,
  bearerRefusal,
  decodeBase64,
  mechanisms,
  type PlainResponse,
  readBearer,
  readPlain,
} from "../lines/sasl.ts";
import { atomOf, bad, type ImapReply, no, ok, type RunCommand, stringOf } from "./command.ts";
import type { AuthenticatedSession, ImapSession } from "./session.ts";
import { imapString, ImapSyntaxError } from "./tokenise.ts";

/** Extensions that are available in every state. */
const extensions = [
  "IMAP4rev1",
  "IMAP4rev2",
  "LITERAL+",
  "SASL-IR",
  "ID",
  "ENABLE",
  "IDLE",
  "NAMESPACE",
  "UNSELECT",
  "UIDPLUS",
  "MOVE",
  "CHILDREN",
  "LIST-EXTENDED",
  "LIST-STATUS",
  "SPECIAL-USE",
  "STATUS=SIZE",
  "ESEARCH",
  "SEARCHRES",
  "SORT",
  "THREAD=ORDEREDSUBJECT",
  "THREAD=REFERENCES",
  "CONDSTORE",
  "BINARY",
] as const;

/** Returns the capabilities in the present state of a session. */
export function capabilities(session: ImapSession): readonly string[] {
  const { context } = session;
  if (session.access !== null) return [...extensions, `APPENDLIMIT=${context.limits.messageBytesMax}`];
  return [
    ...extensions,
    ...(session.offersTls ? ["STARTTLS"] : []),
    ...(session.acceptsCredentials ? mechanisms.map((name) => `AUTH=${name}`) : ["LOGINDISABLED"]),
  ];
}

/** CAPABILITY. */
export const capability: RunCommand = async (session) => {
  await session.send(`* CAPABILITY ${capabilities(session).join(" ")}\r\n`);
  return ok("CAPABILITY completed");
};

/** LOGOUT. */
export const logout: RunCommand = async (session) => {
  await session.send("* BYE Logging out\r\n");
  return { ...ok("LOGOUT completed"), closes: true };
};

/** ID (RFC 2971). The fields of the client are not kept. */
export const id: RunCommand = async (session) => {
  await session.send(`* ID ("name" ${imapString("restante")})\r\n`);
  return ok("ID completed");
};

/** STARTTLS. */
export const starttls: RunCommand = async (session, _, { tag }) => {
  const secureContext = session.context.secureContext();
  if (!session.offersTls || secureContext === undefined) return bad("STARTTLS is not available");
  await session.send(`${tag} OK Begin the TLS handshake\r\n`);
  await session.connection.secure(secureContext);
  return { status: "OK", text: "", closes: session.connection.isClosed };
};

/** LOGIN. */
export const login: RunCommand = async (session, tokens) => {
  const user = stringOf(tokens[0], "The user");
  const password = stringOf(tokens[1], "The password");
  return await authenticate(session, { user, password });
};

/** AUTHENTICATE with PLAIN (RFC 4616), XOAUTH2 or OAUTHBEARER (RFC 7628), with or without an initial response (RFC 4959). */
export const authenticateBySasl: RunCommand = async (session, tokens) => {
  if (tokens.length > 2) return bad("AUTHENTICATE takes a mechanism and an initial response");
  const mechanism = atomOf(tokens[0], "The mechanism");
  const bearer = bearerMechanism(mechanism);
  if (mechanism !== "PLAIN" && bearer === undefined) {
    return no(`[CANNOT] Unknown mechanism; use ${mechanisms.join(", ")}`);
  }
  if (!session.acceptsCredentials) return refuseClearText();
  const response = tokens.length === 2 ? stringOf(tokens[1], "The response") : await session.challenge();
  if (response === null) return { status: "NO", text: "", closes: true };
  if (response === "*") return bad("Authentication cancelled");
  if (bearer !== undefined) return await authenticateByToken(session, bearer, response);
  const read = readPlain(decodeBase64(response));
  if (read === undefined) return bad("The response cannot be decoded");
  if (read.namesAnother) return no("[AUTHORIZATIONFAILED] Nobody can act for another user; leave that name out");
  return await authenticate(session, read);
};

async function authenticateByToken(
  session: ImapSession,
  mechanism: BearerMechanism,
  response: string,
): Promise<ImapReply> {
  const read = readBearer(mechanism, decodeBase64(response));
  if (read === undefined) return bad("The response cannot be decoded");
  const reply = await authenticate(session, { user: read.user, password: read.token });
  if (reply.status !== "NO" || reply.closes === true || session.connection.isClosed) return reply;
  const challenged = await session.challenge(Buffer.from(bearerRefusal(mechanism), "utf8").toString("base64"));
  return challenged === null ? { status: "NO", text: "", closes: true } : reply;
}

async function authenticate(
  session: ImapSession,
  { user, password }: Omit<PlainResponse, "namesAnother">,
): Promise<ImapReply> {
  if (!session.acceptsCredentials) return refuseClearText();
  const access = await session.verify({ user, password });
  if (access === undefined) {
    return no(
      "[AUTHENTICATIONFAILED] Wrong user or password: the user is the id of a server, the password its SMTP password",
    );
  }
  if (access === null) {
    await session.send("* BYE Too many wrong passwords; try again later\r\n");
    return { ...no("[AUTHENTICATIONFAILED] Too many wrong passwords; try again later"), closes: true };
  }
  if (session.authenticate(access)) return ok(`[CAPABILITY ${capabilities(session).join(" ")}] Authenticated`);
  session.context.metrics.refused("too_many_sessions");
  return no("[LIMIT] Too many sessions are signed in; close others, or try again later");
}

function refuseClearText(): ImapReply {
  return no("[PRIVACYREQUIRED] Passwords need TLS here: send STARTTLS first");
}

/** ENABLE: reports the extensions that are enabled; unknown ones are ignored. */
export const enable: RunCommand<AuthenticatedSession> = async (session, tokens) => {
  if (tokens.length === 0) throw new ImapSyntaxError("ENABLE needs a capability");
  const names = tokens.map((token) => atomOf(token, "The capability"));
  const enabled = ["CONDSTORE", "IMAP4REV2"].filter((name) => names.includes(name));
  if (enabled.includes("CONDSTORE")) session.reportsModSeq = true;
  if (enabled.includes("IMAP4REV2")) session.isRev2 = true;
  await session.send(`* ENABLED${enabled.map((name) => ` ${name.replace("REV", "rev")}`).join("")}\r\n`);
  return ok("ENABLE completed");
};
