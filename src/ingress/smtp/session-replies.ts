import { reply, type Reply } from "./reply.ts";

/** Replies of the session itself, beside those of its commands. */
export const sessionReplies: Readonly<
  Record<"overlong" | "tooManyErrors" | "tlsUnexpected" | "timedOut" | "tooSlow" | "shuttingDown", Reply>
> = {
  overlong: reply("500 5.5.2", "Error: line too long", { refusal: "syntax" }),
  tooManyErrors: reply("421 4.7.0", "Error: too many errors", { refusal: "too_many_errors" }),
  tlsUnexpected: reply("421 4.7.0", "Error: this port has no implicit TLS; use STARTTLS", { refusal: "tls" }),
  timedOut: reply("421 4.4.2", "Error: timeout exceeded", { refusal: "idle" }),
  tooSlow: reply("421 4.4.2", "Error: no message within the time limit", { refusal: "too_slow" }),
  shuttingDown: reply("421 4.3.2", "Service shutting down, closing transmission channel", { refusal: "shutdown" }),
};
