import { reply, unexpectedArgument } from "../reply.ts";
import type { Verb } from "../session.ts";

const ready = reply("220 2.0.0", "Ready to start TLS", { next: "tls" });
const notOffered = reply("502 5.5.1", "Error: command not implemented", { refusal: "syntax" });
const alreadySecure = reply("503 5.5.1", "Error: TLS already active", { refusal: "sequence" });

/** STARTTLS (RFC 3207): drops pipelined clear text and resets the session. */
export const starttls: Verb = (session, argument) => {
  if (argument !== "") return unexpectedArgument;
  if (session.tls !== null) return alreadySecure;
  return session.isTlsAccepted ? ready : notOffered;
};
