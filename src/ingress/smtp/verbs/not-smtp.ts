import { reply } from "../reply.ts";
import type { Verb } from "../session.ts";

const answer = reply("421 4.7.0", "This is SMTP, not HTTP", { refusal: "syntax" });

/**
 * First words of HTTP requests. The session ends, because a web page can make a browser send a request here, and the
 * lines of its body would be commands.
 */
export const notSmtp: Verb = () => answer;
