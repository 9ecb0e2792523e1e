import { reply } from "../reply.ts";
import type { Verb } from "../session.ts";

const notTold = reply("252 2.0.0", "Not told here; send mail and see");
const nameNeeded = reply("501 5.5.4", "Syntax: VRFY address", { refusal: "syntax" });

/** VRFY (RFC 5321 §4.1.1.6, §7.3): never tells which recipients exist. */
export const vrfy: Verb = (_session, argument) => (argument === "" ? nameNeeded : notTold);
