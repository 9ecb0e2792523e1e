import { reply, unexpectedArgument } from "../reply.ts";
import type { Verb } from "../session.ts";

const ready = reply("220 2.0.0", "Ready to start TLS", { next: "tls" });
const notOffered = reply("502 5.5.1", "TLS is not offered here", { refusal: "syntax" });
const alreadySecure = reply("503 5.5.1", "TLS is on already", { refusal: "sequence" });

/** STARTTLS (RFC 3207): what was sent behind it in clear is dropped, and what the session had learnt forgotten. */
export const starttls: Verb = (session, argument) => {
  if (argument !== "") return unexpectedArgument;
  if (session.tls !== null) return alreadySecure;
  return session.isTlsAccepted ? ready : notOffered;
};
