import { reply } from "../reply.ts";
import type { Verb } from "../session.ts";

const httpRequest = reply("421 4.7.0", "Error: this is an SMTP server, not an HTTP server", { refusal: "syntax" });

/**
 * Methods of HTTP requests. The session closes, because a web page can make a browser send a request to this port, and the
 * lines of its body would be commands.
 */
export const notSmtp: Verb = () => httpRequest;
