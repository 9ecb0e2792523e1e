import { readSequenceSet } from "./sequence-set.ts";
import type { AuthenticatedSession, ImapSession, SelectedSession } from "./session.ts";
import { ImapSyntaxError, type ImapToken } from "./tokenise.ts";

/** Tagged response to a command. */
export interface ImapReply {
  readonly status: "OK" | "NO" | "BAD";
  /** Response code and text; empty with `closes` when the session ends without a tagged response. */
  readonly text: string;
  /** Whether the session ends. */
  readonly closes?: boolean;
}

/** Tag of a command, and whether it names messages by UID. */
export interface ImapCall {
  readonly tag: string;
  readonly isUid: boolean;
}

/** Runs a command. Throws {@link ImapSyntaxError} for wrong arguments, and {@link ImapRefusal}. */
export type RunCommand<Session = ImapSession> = (
  session: Session,
  tokens: readonly ImapToken[],
  call: ImapCall,
) => Promise<ImapReply>;

/**
 * Command of a client. `updates` are the changes of the mailbox that are reported before its response: EXPUNGE must not be
 * sent where the client uses sequence numbers (RFC 9051 section 7.5.1).
 */
export interface ImapCommand {
  readonly updates: "all" | "withoutExpunge" | "none";
  readonly run: RunCommand;
}

/** Rules of a command: its number of arguments, unless it counts them itself, and its updates, by default all. */
interface CommandRules extends Partial<Pick<ImapCommand, "updates">> {
  readonly takes?: number;
}

/** Error that a command is answered with. */
export class ImapRefusal extends Error {
  override readonly name: string = "ImapRefusal";
  readonly reply: ImapReply;

  constructor(reply: ImapReply) {
    super(reply.text);
    this.reply = reply;
  }
}

/** Returns a command that is valid in the states that `isAllowed` names. */
export function command<Session extends ImapSession>(
  isAllowed: (session: ImapSession) => session is Session,
  run: RunCommand<Session>,
  { takes, updates = "all" }: CommandRules = {},
): ImapCommand {
  const runAllowed: RunCommand = async (session, tokens, call) => {
    if (!isAllowed(session)) {
      return bad(session.access === null ? "Authenticate first" : "The command is not valid in this state");
    }
    if (takes !== undefined && tokens.length !== takes)
      throw new ImapSyntaxError(`The command takes ${takes} arguments`);
    try {
      return await run(session, tokens, call);
    } catch (error) {
      if (error instanceof ImapRefusal) return error.reply;
      throw error;
    }
  };
  return { updates, run: runAllowed };
}

/** States in which commands are valid. */
export const states = {
  any: (session: ImapSession): session is ImapSession => Boolean(session),
  unauthenticated: (session: ImapSession): session is ImapSession => session.access === null,
  authenticated: (session: ImapSession): session is AuthenticatedSession => session.access !== null,
  selected: (session: ImapSession): session is SelectedSession => session.selected !== null,
};

/** Returns a positive response. */
export function ok(text: string): ImapReply {
  return { status: "OK", text };
}

/** Returns a negative response. */
export function no(text: string): ImapReply {
  return { status: "NO", text };
}

/** Returns the response to a command that is not valid. */
export function bad(text: string): ImapReply {
  return { status: "BAD", text };
}

/** Returns the text of a string or an atom. Throws when there is none. */
export function stringOf(token: ImapToken | undefined, name: string): string {
  if (token?.kind === "string" || token?.kind === "atom") return token.text;
  throw new ImapSyntaxError(`${name} is missing`);
}

/** Returns an atom in upper case. Throws when there is none. */
export function atomOf(token: ImapToken | undefined, name: string): string {
  if (token?.kind === "atom") return token.text.toUpperCase();
  throw new ImapSyntaxError(`${name} is missing`);
}

/** Returns the tokens of a list. Throws when there is none. */
export function listOf(token: ImapToken | undefined, name: string): readonly ImapToken[] {
  if (token?.kind === "list") return token.items;
  throw new ImapSyntaxError(`${name} must be a list in parentheses`);
}

/** Returns a sequence set, or `$`. Throws when it is malformed. */
export function readSet(token: ImapToken | undefined): (ReturnType<typeof readSequenceSet> & object) | "saved" {
  const text = stringOf(token, "The set");
  const set = text === "$" ? "saved" : readSequenceSet(text);
  if (set === undefined) throw new ImapSyntaxError("The sequence set is malformed");
  return set;
}
