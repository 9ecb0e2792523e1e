import { reply } from "../reply.ts";
import type { Verb } from "../session.ts";

const answer = reply("502 5.5.1", "Command not implemented", { refusal: "syntax" });

/** Verbs that the standards know and this service does not offer (RFC 5321 §4.2.4). */
export const notImplemented: Verb = () => answer;
