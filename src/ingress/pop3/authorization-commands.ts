/** Commands before the maildrop is opened (RFC 1939 section 4, RFC 2595, RFC 5034). */
import {
  bearerMechanism,
  type BearerMechanism,
  bearerRefusal,
  decodeBase64,
  mechanisms,
  type PlainResponse,
  readBearer,
  readPlain,
  utf8Of,
} from "../lines/sasl.ts";
import type { Pop3Command, Pop3Outcome, Pop3Session } from "./session.ts";

/** CAPA (RFC 2449): the capabilities in the present state. */
export const capa: Pop3Command = async (session) => {
  const lines = [
    "TOP",
    "UIDL",
    "RESP-CODES",
    "AUTH-RESP-CODE",
    "PIPELINING",
    "EXPIRE NEVER",
    ...(session.acceptsCredentials ? ["USER", `SASL ${mechanisms.join(" ")}`] : []),
    ...(session.offersTls && session.maildrop === null ? ["STLS"] : []),
    "IMPLEMENTATION restante",
    ".",
  ];
  await session.connection.write(`+OK Capabilities follow\r\n${lines.join("\r\n")}\r\n`);
  return {};
};

const user: Pop3Command = async (session, name) => {
  if (!session.acceptsCredentials) return await refuseClearText(session);
  if (name === "") return await session.fail("USER needs a name");
  session.user = utf8Of(name);
  return await session.respond("Send the password");
};

const pass: Pop3Command = async (session, password) => {
  const name = session.user;
  session.user = null;
  if (name === null) return await session.fail("Send USER first");
  return await authenticate(session, { user: name, password: utf8Of(password) });
};

const auth: Pop3Command = async (session, argument) => {
  const [mechanism = "", initial, ...rest] = argument.split(/ +/);
  // The form without arguments, which older clients send, lists the mechanisms.
  if (mechanism === "") {
    await session.respond("Mechanisms follow");
    await session.connection.write(`${[...mechanisms, "."].join("\r\n")}\r\n`);
    return {};
  }
  if (!session.acceptsCredentials) return await refuseClearText(session);
  const bearer = bearerMechanism(mechanism);
  if ((mechanism.toUpperCase() !== "PLAIN" && bearer === undefined) || rest.length > 0) {
    return await session.fail(`Unknown mechanism; use ${mechanisms.join(", ")}`);
  }
  const response = initial ?? (await session.challenge());
  if (response === null) return { closes: true };
  if (response === "*") return await session.fail("Authentication cancelled");
  return await (bearer === undefined
    ? authenticateByPassword(session, response)
    : authenticateByToken(session, bearer, response));
};

async function authenticateByPassword(session: Pop3Session, response: string): Promise<Pop3Outcome> {
  const read = readPlain(decodeBase64(response));
  if (read === undefined) return await session.fail("The response cannot be decoded");
  if (read.namesAnother) return await session.fail("[AUTH] Nobody can act for another user; leave that name out");
  return await authenticate(session, read);
}

async function authenticateByToken(
  session: Pop3Session,
  mechanism: BearerMechanism,
  response: string,
): Promise<Pop3Outcome> {
  const read = readBearer(mechanism, decodeBase64(response));
  if (read === undefined) return await session.fail("The response cannot be decoded");
  const refuse = async (text: string): Promise<Pop3Outcome> => {
    const challenged = await session.challenge(Buffer.from(bearerRefusal(mechanism), "utf8").toString("base64"));
    return challenged === null ? { closes: true } : await session.fail(text);
  };
  return await authenticate(session, { user: read.user, password: read.token }, refuse);
}

const stls: Pop3Command = async (session) => {
  const secureContext = session.context.secureContext();
  if (!session.offersTls || secureContext === undefined) return await session.fail("STLS is not available");
  await session.respond("Begin the TLS handshake");
  session.user = null;
  await session.connection.secure(secureContext);
  return {};
};

const quit: Pop3Command = async (session) => {
  await session.respond("Bye");
  return { closes: true };
};

/** Commands by name. */
export const authorizationCommands: ReadonlyMap<string, Pop3Command> = new Map([
  ["USER", user],
  ["PASS", pass],
  ["AUTH", auth],
  ["STLS", stls],
  ["CAPA", capa],
  ["QUIT", quit],
]);

async function authenticate(
  session: Pop3Session,
  { user, password }: Omit<PlainResponse, "namesAnother">,
  refuse = async (text: string): Promise<Pop3Outcome> => await session.fail(text),
): Promise<Pop3Outcome> {
  const access = await session.verify({ user, password });
  if (access === undefined) {
    return await refuse(
      "[AUTH] Wrong user or password: the user is the id of a server, the password its SMTP password",
    );
  }
  if (access !== null) return await session.open(access);
  await session.fail("[AUTH] Too many wrong passwords; try again later");
  return { closes: true };
}

async function refuseClearText(session: Pop3Session): Promise<Pop3Outcome> {
  return await session.fail("Passwords need TLS here: send STLS first");
}
