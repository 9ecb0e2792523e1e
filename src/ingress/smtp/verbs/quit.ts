import { reply, unexpectedArgument } from "../reply.ts";
import type { Verb } from "../session.ts";

const goodbye = reply("221 2.0.0", "Bye", { next: "close" });

/** QUIT (RFC 5321 §4.1.1.10): closes the session. */
export const quit: Verb = (_session, argument) => (argument === "" ? goodbye : unexpectedArgument);
