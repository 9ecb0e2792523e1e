import type { ImapSession } from "./session.ts";
import { ImapSyntaxError, type ImapToken } from "./tokenise.ts";

/** Tagged response to a command. */
export interface ImapReply {
  readonly status: "OK" | "NO" | "BAD";
  /** Response code and text; empty with `closes` when the session ends without a tagged response. */
  readonly text: string;
  /** Whether the session ends. */
  readonly closes?: boolean;
}

/** Command with its tag. */
export interface ImapCall {
  readonly tag: string;
}

/**
 * Command of a client. `state` is the state in which it is valid; `updates` are the changes of the mailbox that are
 * reported before its response: EXPUNGE must not be sent where the client uses sequence numbers (RFC 9051 section 7.5.1).
 */
export interface ImapCommand {
  readonly state: "any" | "unauthenticated" | "authenticated" | "selected";
  readonly updates: "all" | "withoutExpunge" | "none";
  /** Throws {@link ImapSyntaxError} for wrong arguments. */
  readonly run: (session: ImapSession, tokens: readonly ImapToken[], call: ImapCall) => Promise<ImapReply>;
}

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

/** Throws unless a command has this number of arguments. */
export function requireCount(tokens: readonly ImapToken[], count: number): void {
  if (tokens.length !== count) throw new ImapSyntaxError(`The command takes ${count} arguments`);
}
