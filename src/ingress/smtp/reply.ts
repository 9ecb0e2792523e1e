/** Replies (RFC 5321 §4.2) with enhanced status codes (RFC 2034, RFC 3463). */
import { Problem, type ProblemCode } from "../../core/errors.ts";
import type { SmtpRefusal } from "./options.ts";

/** Way to end a session: after its replies, or by RST without the reply. */
export type SessionEnd = "close" | "reset";

/** Encoded reply. */
export interface Reply {
  readonly code: number;
  /** ASCII with CRLF; "" where the protocol has no reply at this point. */
  readonly wire: string;
  /** Null: the session reads the next command. */
  readonly end: SessionEnd | null;
  /** Label for the metrics; null for replies that reject nothing. */
  readonly refusal: SmtpRefusal | null;
}

/** Reply, or the promise of one, null when the input ended first; the session reads no command while it is pending. */
export type PendingReply = Reply | Promise<Reply | null>;

/** Options of a reply. */
export interface ReplyExtras {
  readonly end?: SessionEnd;
  readonly refusal?: SmtpRefusal;
}

/**
 * Returns a reply of one line; `status` is the code with the enhanced status, `250 2.1.0`. Code 421 always closes the
 * session (RFC 5321 §3.8).
 */
export function reply(status: string, text: string, extras: ReplyExtras = {}): Reply {
  return replyLines(status, [text], extras);
}

/** Returns a reply of one or more lines, each with the status. */
export function replyLines(status: string, lines: readonly string[], extras: ReplyExtras = {}): Reply {
  const code = status.slice(0, 3);
  const enhanced = status.slice(4);
  const last = lines.length - 1;
  let wire = "";
  for (const [position, line] of lines.entries()) {
    wire += `${code}${position === last ? " " : "-"}${enhanced === "" ? "" : `${enhanced} `}${line}\r\n`;
  }
  const end = extras.end ?? (code === "421" ? "close" : null);
  return { code: Number(code), wire, end, refusal: extras.refusal ?? null };
}

/** Returns a copy of a reply that closes the session. */
export function closing(given: Reply): Reply {
  return { ...given, end: "close" };
}

const refusals: Partial<Record<ProblemCode, SmtpRefusal>> = {
  limit_reached: "overload",
  message_too_large: "message_too_large",
  quota_exceeded: "over_quota",
  recipient_unknown: "recipient_unknown",
  storage_full: "overload",
  too_many_requests: "authentication",
  unauthenticated: "authentication",
  unavailable: "overload",
};

/** Returns the reply for an error: the SMTP reply of a `Problem` if it has one, else 451 4.3.0. */
export function replyToError(error: unknown): Reply {
  const problem = error instanceof Problem && error.row.smtp !== null ? error : new Problem("internal");
  const { code, enhancedStatus } = problem.row.smtp ?? { code: 451, enhancedStatus: "4.3.0" };
  // The quota and usage of a server are not disclosed to senders.
  const message = problem.code === "quota_exceeded" ? problem.row.text : problem.message;
  const text = message.replaceAll(/[^ -~]+/g, " ");
  return reply(`${code} ${enhancedStatus}`, text, { refusal: refusals[problem.code] ?? "internal" });
}

/** 500: unknown command. */
export const unknownCommand: Reply = reply("500 5.5.2", "Error: command not recognized", { refusal: "syntax" });
/** 501: unexpected argument. */
export const unexpectedArgument: Reply = reply("501 5.5.4", "Syntax: command takes no argument", { refusal: "syntax" });
/** 503: command outside a transaction. */
export const mailNeeded: Reply = reply("503 5.5.1", "Error: need MAIL command", { refusal: "sequence" });
/** 503: command before EHLO. */
export const greetingNeeded: Reply = reply("503 5.5.1", "Error: send HELO/EHLO first", { refusal: "sequence" });
/** 503: after BDAT only BDAT may continue the transaction (RFC 3030 §2). */
export const chunksPending: Reply = reply("503 5.5.1", "Error: BDAT transaction in progress", { refusal: "sequence" });
/** 421: the limit of sessions is reached. */
export const tooManySessions: Reply = reply(
  "421 4.7.0",
  "Error: too many concurrent SMTP connections; try again later",
  { refusal: "too_many_sessions" },
);
/** 552: the mail exceeds the size limit (RFC 1870 §6.1). */
export const tooLarge: Reply = reply("552 5.3.4", "Message size exceeds fixed limit", {
  refusal: "message_too_large",
});
/** 452: the mails of all sessions have reached the memory limit. */
export const overloaded: Reply = reply("452 4.3.1", "Insufficient system resources; try again later", {
  refusal: "overload",
});

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
