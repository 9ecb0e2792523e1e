import { reply, replyLines, unexpectedArgument } from "../reply.ts";
import type { Verb } from "../session.ts";
import { auth } from "./auth.ts";
import { bdat, data } from "./data.ts";
import { ehlo, helo, lhlo, starttls } from "./ehlo.ts";
import { mail, rcpt } from "./envelope.ts";

const httpRequest = reply("421 4.7.0", "Error: this is an SMTP server, not an HTTP server", { refusal: "syntax" });

/**
 * Methods of HTTP requests. The session closes, because a web page can make a browser send a request to this port, and the
 * lines of its body would be commands.
 */
export const notSmtp: Verb = () => httpRequest;

const notOffered = reply("502 5.5.1", "Error: command not implemented", { refusal: "syntax" });

/** Standard verbs that the service does not implement (RFC 5321 §4.2.4). */
export const notImplemented: Verb = () => notOffered;

const goodbye = reply("221 2.0.0", "Bye", { end: "close" });

/** QUIT (RFC 5321 §4.1.1.10): closes the session. */
const quit: Verb = (_session, argument) => (argument === "" ? goodbye : unexpectedArgument);

const verbList = replyLines("214 2.0.0", [
  "EHLO HELO LHLO MAIL RCPT DATA BDAT RSET NOOP",
  "VRFY HELP AUTH STARTTLS QUIT",
  "See RFC 5321; accepted mail is stored for tests and not delivered",
]);

/** HELP (RFC 5321 §4.1.1.8): lists the verbs and ignores the argument. */
const help: Verb = () => verbList;

const unverified = reply("252 2.0.0", "Cannot VRFY user, but will accept message and attempt delivery");
const addressNeeded = reply("501 5.5.4", "Syntax: VRFY address", { refusal: "syntax" });

/** VRFY (RFC 5321 §4.1.1.6, §7.3): replies 252 for every address, so that recipients cannot be enumerated. */
const vrfy: Verb = (_session, argument) => (argument === "" ? addressNeeded : unverified);

const ok = reply("250 2.0.0", "Ok");

/** NOOP (RFC 5321 §4.1.1.9): changes nothing, with or without an argument. */
const noop: Verb = () => ok;

/** RSET (RFC 5321 §4.1.1.5): aborts the transaction; EHLO and AUTH stay in effect. */
const rset: Verb = (session, argument) => {
  if (argument !== "") return unexpectedArgument;
  session.abort();
  return ok;
};

/** Commands by upper-case verb. */
export const verbs: ReadonlyMap<string, Verb> = new Map([
  ["EHLO", ehlo],
  ["HELO", helo],
  ["LHLO", lhlo],
  ["MAIL", mail],
  ["RCPT", rcpt],
  ["DATA", data],
  ["BDAT", bdat],
  ["RSET", rset],
  ["NOOP", noop],
  ["VRFY", vrfy],
  ["HELP", help],
  ["AUTH", auth],
  ["STARTTLS", starttls],
  ["QUIT", quit],
  ...["ATRN", "ETRN", "EXPN", "SAML", "SEND", "SOML", "TURN"].map((name): [string, Verb] => [name, notImplemented]),
  ...["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"].map((name): [string, Verb] => [
    name,
    notSmtp,
  ]),
]);
