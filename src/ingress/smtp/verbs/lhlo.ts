import { unknownCommand } from "../reply.ts";
import type { Verb } from "../session.ts";
import { introduceExtended } from "./ehlo.ts";

/** LHLO (RFC 2033 §4.1): EHLO of LMTP, which has neither EHLO nor HELO. */
export const lhlo: Verb = (session, argument) =>
  session.isLmtp ? introduceExtended(session, argument) : unknownCommand;
