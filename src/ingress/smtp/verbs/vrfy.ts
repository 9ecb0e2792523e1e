import { reply } from "../reply.ts";
import type { Verb } from "../session.ts";

const unverified = reply("252 2.0.0", "Cannot VRFY user, but will accept message and attempt delivery");
const nameNeeded = reply("501 5.5.4", "Syntax: VRFY address", { refusal: "syntax" });

/** VRFY (RFC 5321 §4.1.1.6, §7.3): replies 252 for every address, so that recipients cannot be enumerated. */
export const vrfy: Verb = (_session, argument) => (argument === "" ? nameNeeded : unverified);
