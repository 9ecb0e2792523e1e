/** Replies (RFC 5321 §4.2) with enhanced status codes (RFC 2034, RFC 3463), and what the session reads after them. */
import { Problem, type ProblemCode } from "../../core/errors.ts";
import type { SmtpRefusal } from "./options.ts";

/** Reads octets that are mail content rather than commands. */
export interface ContentReader {
  /** True once the content's end was read; nothing is read after it. */
  readonly isComplete: boolean;
  /** Reads from `offset` on and returns the offset behind the last byte that belongs to the content. */
  read(chunk: Buffer, offset: number): number;
}

/**
 * What the session reads after a reply: nothing more (`close`), a TLS handshake (`tls`), one line that is not a command,
 * or content. What follows line and content is answered by their `answer`.
 */
export type NextInput =
  | "close"
  | "tls"
  | { readonly kind: "line"; readonly answer: (line: string) => Answer }
  | { readonly kind: "content"; readonly reader: ContentReader; readonly answer: () => Answer };

/** One reply, ready to be written. */
export interface Reply {
  readonly code: number;
  /** ASCII, CRLF included; "" where the protocol has no reply at this point. */
  readonly wire: string;
  /** null: the next command. */
  readonly next: NextInput | null;
  /** What to count, for a reply that refuses. */
  readonly refusal: SmtpRefusal | null;
}

/** A reply, or the promise of one; while it is pending the session reads nothing. */
export type Answer = Reply | Promise<Reply>;

/** What a reply has beside its code and text. */
export interface ReplyExtras {
  readonly next?: NextInput;
  readonly refusal?: SmtpRefusal;
}

/**
 * A reply of one line; `status` is code and enhanced status, `250 2.1.0`. Code 421 says that the channel closes
 * (RFC 5321 §3.8), so it always closes.
 */
export function reply(status: string, text: string, extras: ReplyExtras = {}): Reply {
  return replyLines(status, [text], extras);
}

/** A reply of one or more lines; every line repeats the status. */
export function replyLines(status: string, lines: readonly string[], extras: ReplyExtras = {}): Reply {
  const code = status.slice(0, 3);
  const enhanced = status.slice(4);
  const last = lines.length - 1;
  let wire = "";
  for (const [position, line] of lines.entries()) {
    wire += `${code}${position === last ? " " : "-"}${enhanced === "" ? "" : `${enhanced} `}${line}\r\n`;
  }
  const next = extras.next ?? (code === "421" ? "close" : null);
  return { code: Number(code), wire, next, refusal: extras.refusal ?? null };
}

/** No reply: the session reads `next` at once. */
export function silence(next: NextInput): Reply {
  return { code: 0, wire: "", next, refusal: null };
}

/** The same reply, followed by the end of the session. */
export function closing(answer: Reply): Reply {
  return { ...answer, next: "close" };
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

/** The reply to something thrown: a `Problem`'s own where its row has one, 451 4.3.0 for everything else. */
export function replyToFault(fault: unknown): Reply {
  const problem = fault instanceof Problem && fault.row.smtp !== null ? fault : new Problem("internal");
  const { code, enhancedStatus } = problem.row.smtp ?? { code: 451, enhancedStatus: "4.3.0" };
  // Senders are not told what the server holds.
  const said = problem.code === "quota_exceeded" ? problem.row.text : problem.message;
  const text = said.replaceAll(/[^ -~]+/g, " ");
  return reply(`${code} ${enhancedStatus}`, text, { refusal: refusals[problem.code] ?? "internal" });
}

/** 500: the line is not a command. */
export const unknownCommand: Reply = reply("500 5.5.2", "Command not recognized", { refusal: "syntax" });
/** 501: a command that takes no argument got one. */
export const unexpectedArgument: Reply = reply("501 5.5.4", "This command takes no argument", { refusal: "syntax" });
/** 503: a command that needs a transaction came without one. */
export const mailNeeded: Reply = reply("503 5.5.1", "Send MAIL first", { refusal: "sequence" });
/** 503: a command that needs to know who speaks came before EHLO. */
export const greetingNeeded: Reply = reply("503 5.5.1", "Send EHLO or HELO first", { refusal: "sequence" });
/** 503: BDAT has begun, and only BDAT may go on (RFC 3030 §2). */
export const chunksUnderWay: Reply = reply("503 5.5.1", "Only BDAT can continue this mail", { refusal: "sequence" });
/** 552: the mail exceeds the announced SIZE (RFC 1870 §6.1). */
export const tooLarge: Reply = reply("552 5.3.4", "Message is larger than this service takes", {
  refusal: "message_too_large",
});
/** 452: the sessions together hold as many bytes as they may. */
export const overloaded: Reply = reply("452 4.3.1", "Too much mail is on its way; try again", { refusal: "overload" });
