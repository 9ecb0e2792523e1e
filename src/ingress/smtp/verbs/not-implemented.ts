import { reply } from "../reply.ts";
import type { Verb } from "../session.ts";

const notOffered = reply("502 5.5.1", "Error: command not implemented", { refusal: "syntax" });

/** Standard verbs that the service does not implement (RFC 5321 §4.2.4). */
export const notImplemented: Verb = () => notOffered;
