import { reply, unexpectedArgument } from "../reply.ts";
import type { Verb } from "../session.ts";

const reset = reply("250 2.0.0", "Ok");

/** RSET (RFC 5321 §4.1.1.5): aborts the transaction; EHLO and AUTH stay in effect. */
export const rset: Verb = (session, argument) => {
  if (argument !== "") return unexpectedArgument;
  session.abort();
  return reset;
};
