import { replyLines } from "../reply.ts";
import type { Verb } from "../session.ts";

const text = replyLines("214 2.0.0", [
  "EHLO HELO MAIL RCPT DATA BDAT RSET NOOP",
  "VRFY HELP AUTH STARTTLS QUIT",
  "See RFC 5321; every mail that is taken here is kept for tests to read",
]);

/** HELP (RFC 5321 §4.1.1.8): the verbs, whatever was asked about. */
export const help: Verb = () => text;
