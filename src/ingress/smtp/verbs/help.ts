import { replyLines } from "../reply.ts";
import type { Verb } from "../session.ts";

const text = replyLines("214 2.0.0", [
  "EHLO HELO LHLO MAIL RCPT DATA BDAT RSET NOOP",
  "VRFY HELP AUTH STARTTLS QUIT",
  "See RFC 5321; accepted mail is stored for tests and not delivered",
]);

/** HELP (RFC 5321 §4.1.1.8): lists the verbs and ignores the argument. */
export const help: Verb = () => text;
