import type { InputEnd } from "./input.ts";
import { greet } from "./faults.ts";
import { maskCommand } from "./session-transcript.ts";
import { type PendingReply, type Reply, reply, type SessionEnd, sessionReplies, unknownCommand } from "./reply.ts";
import type { Session } from "./session.ts";
import { verbs } from "./verbs/table.ts";

/** Rejected commands in a row after which the session closes: the client does not speak SMTP. */
export const errorsInARowMax = 20;

/** Last replies, by the reason for which the input ended. */
const farewells: Readonly<Partial<Record<InputEnd, Reply>>> = {
  idle: sessionReplies.timedOut,
  too_slow: sessionReplies.tooSlow,
  shutdown: sessionReplies.shuttingDown,
};

/**
 * Runs an SMTP session from the greeting to its end; resolves when the connection is closed and no operation is pending. Mail
 * that has arrived completely is stored even when the client leaves. Rejects after an error, with the connection open.
 */
export async function runSession(session: Session): Promise<void> {
  const { connection } = session;
  const end = await converse(session).finally(() => {
    session.abort();
  });
  await (end === "reset" ? connection.reset() : connection.finish(session.isEvicted));
}

/** Reads and executes commands until the session ends; returns how. */
async function converse(session: Session): Promise<SessionEnd> {
  let answer = await greet(session, session.context.implicitTls).catch((error: unknown) => session.replyToError(error));
  for (let errorCount = 0; errorCount < errorsInARowMax;) {
    if (answer !== null) {
      session.send(answer);
      if (answer.end !== null) return answer.end;
      errorCount = countErrors(errorCount, answer);
      if (errorCount >= errorsInARowMax) break;
    }
    const line = await session.connection.readLine();
    if (line.kind === "end") {
      const farewell = farewells[line.reason];
      if (farewell !== undefined) session.send(farewell);
      return "close";
    }
    if (line.kind === "handshake") answer = sessionReplies.tlsUnexpected;
    else if (line.kind === "overlong") answer = session.overlong();
    else {
      const { masked, execute } = readCommand(line.text);
      session.isCommandWithCr = line.hasCr;
      session.transcript.addCommand(masked, session.connection.input.takePipelined());
      answer = await settle(session, execute);
    }
  }
  session.send(sessionReplies.tooManyErrors);
  return "close";
}

async function settle(session: Session, execute: (session: Session) => PendingReply): Promise<Reply | null> {
  try {
    const given = execute(session);
    return given instanceof Promise ? await given : given;
  } catch (error) {
    return session.replyToError(error);
  }
}

/** Counts errors of syntax and order and wrong passwords in a row; rejected recipients do not count. */
function countErrors(count: number, { code, refusal }: Reply): number {
  if (refusal === "fault") return count;
  if ((code >= 500 && code <= 504) || code === 535 || code === 555) return count + 1;
  return code >= 200 && code < 300 ? 0 : count;
}

const controlCharacters = reply("501 5.5.2", "Error: control characters in command", { refusal: "syntax" });
/** Characters that could break a header that contains the command; tabs are blanks. */
const control = /[[\p{Cc}\p{Zl}\p{Zp}]--\t]/v;

/** Command of a client. */
interface Command {
  /** Line without secrets, for transcripts. */
  readonly masked: string;
  readonly execute: (session: Session) => PendingReply;
}

/** Parses a command line; a malformed one is rejected when it is executed. */
function readCommand(line: string): Command {
  if (control.test(line)) return { masked: "[command with control characters]", execute: () => controlCharacters };
  const verbEnd = line.search(/[ \t]/);
  const name = (verbEnd === -1 ? line : line.slice(0, verbEnd)).toUpperCase();
  const verb = verbs.get(name);
  const masked = maskCommand(line, verb === undefined ? null : name);
  if (verb === undefined) return { masked, execute: () => unknownCommand };
  const argument = verbEnd === -1 ? "" : line.slice(verbEnd).trim();
  return { masked, execute: (session) => verb(session, argument) };
}
