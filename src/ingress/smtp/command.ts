import { maskCommand } from "./mask-command.ts";
import { reply, unknownCommand, type PendingReply } from "./reply.ts";
import type { Session } from "./session.ts";
import { verbs } from "./verbs/table.ts";

const controlCharacters = reply("501 5.5.2", "Error: control characters in command", { refusal: "syntax" });
/** Characters that could break a header that contains the command; tabs are blanks. */
const control = /[[\p{Cc}\p{Zl}\p{Zp}]--\t]/v;

/** Command of a client. */
export interface Command {
  /** Line without secrets, for transcripts. */
  readonly masked: string;
  readonly execute: (session: Session) => PendingReply;
}

/** Parses a command line; a malformed one is rejected when it is executed. */
export function readCommand(line: string): Command {
  if (control.test(line)) return { masked: "[command with control characters]", execute: () => controlCharacters };
  const verbEnd = line.search(/[ \t]/);
  const name = (verbEnd === -1 ? line : line.slice(0, verbEnd)).toUpperCase();
  const verb = verbs.get(name);
  const masked = maskCommand(line, verb === undefined ? null : name);
  if (verb === undefined) return { masked, execute: () => unknownCommand };
  const argument = verbEnd === -1 ? "" : line.slice(verbEnd).trim();
  return { masked, execute: (session) => verb(session, argument) };
}
