import { utf8Of } from "../lines/sasl.ts";

/** Argument of a command; strings and atoms are decoded from UTF-8. */
export type ImapToken =
  /** Atom, number, sequence set or flag, as written; a section such as `BODY[HEADER.FIELDS (DATE)]<0.9>` is one atom. */
  | { readonly kind: "atom"; readonly text: string }
  /** Quoted string or literal. */
  | { readonly kind: "string"; readonly text: string }
  /** Literal that APPEND stores. */
  | { readonly kind: "octets"; readonly bytes: Uint8Array }
  | { readonly kind: "list"; readonly items: readonly ImapToken[] };

/** Wrong syntax of a command, which is answered with BAD. */
export class ImapSyntaxError extends Error {
  override readonly name = "ImapSyntaxError";
}

/** Strings in responses (RFC 9051 §4.3). Responses are written as UTF-8. */

/** UTF-16 units above which a string is a literal, because clients limit the length of lines. */
const quotedLengthMax = 1024;
const quotable = /^[\u0020-\u007e]*$/;

/** Returns a string as quoted string or literal; NIL for null. NUL, which no string may contain, becomes U+FFFD. */
export function imapString(text: string | null): string {
  if (text === null) return "NIL";
  if (text.length <= quotedLengthMax && quotable.test(text)) return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  const literal = text.replaceAll("\0", "\ufffd");
  return `{${Buffer.byteLength(literal)}}\r\n${literal}`;
}

/** Lists in lists. */
export const nestingMax = 20;
/** Tokens of one command. */
export const tokenCountMax = 10_000;
const quoted = /"((?:[^"\\\0\r\n]|\\["\\])*)"/y;
const atomText = /[!#-'*-Z\\-z|}~\u0080-\u00ff]+/y;
/** A section may contain spaces, parentheses and quoted strings. */
const section = /\[(?:[ !#-\\^-~\u0080-\u00ff]|"[^"]*")*\]/y;

/**
 * Part of a command: a line without its line end and without the announcement of the literal that follows, as Latin-1, or
 * that literal. `isStored` is true for the literal that APPEND stores.
 */
export type CommandPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "literal"; readonly bytes: Uint8Array; readonly isStored: boolean };

/** Reads the tokens of the parts of a command. Throws {@link ImapSyntaxError}. */
export function tokenise(parts: readonly CommandPart[]): readonly ImapToken[] {
  const reader = new Tokeniser();
  for (const part of parts) {
    if (part.kind === "text") reader.readText(part.text);
    else if (part.isStored) reader.add({ kind: "octets", bytes: part.bytes });
    else reader.add({ kind: "string", text: Buffer.from(part.bytes).toString("utf8") });
  }
  return reader.finish();
}

class Tokeniser {
  readonly #open: ImapToken[][] = [];
  #items: ImapToken[] = [];
  #count = 0;
  /** Whether a token has ended without a space or a parenthesis after it. */
  #isTouching = false;
  /** Whether a bracket of the text has no counterpart; those after it are not looked for, so that a text is read once. */
  #hasOpenBracket = false;

  add(token: ImapToken): void {
    if (this.#isTouching) throw new ImapSyntaxError("Arguments must be separated by a space");
    this.#count += 1;
    if (this.#count > tokenCountMax) throw new ImapSyntaxError("The command has too many arguments");
    this.#items.push(token);
    this.#isTouching = true;
  }

  readText(text: string): void {
    this.#hasOpenBracket = false;
    for (let at = 0; at < text.length;) at = this.#readAt(text, at);
  }

  finish(): readonly ImapToken[] {
    if (this.#open.length > 0) throw new ImapSyntaxError("A parenthesis is not closed");
    return this.#items;
  }

  /** Reads what begins at a position; returns the position after it. */
  #readAt(text: string, at: number): number {
    const character = text.charAt(at);
    if (character === " ") {
      this.#isTouching = false;
      return at + 1;
    }
    if (character === "(") return this.#openList(at);
    if (character === ")") return this.#closeList(at);
    if (character === '"') return this.#readQuoted(text, at);
    return this.#readAtom(text, at);
  }

  #openList(at: number): number {
    if (this.#isTouching) throw new ImapSyntaxError("Arguments must be separated by a space");
    if (this.#open.length >= nestingMax) throw new ImapSyntaxError("Parentheses are nested too deeply");
    this.#open.push(this.#items);
    this.#items = [];
    return at + 1;
  }

  #closeList(at: number): number {
    const outer = this.#open.pop();
    if (outer === undefined) throw new ImapSyntaxError("A parenthesis is closed that was not opened");
    const items = this.#items;
    this.#items = outer;
    this.#isTouching = false;
    this.add({ kind: "list", items });
    return at + 1;
  }

  #readQuoted(text: string, at: number): number {
    quoted.lastIndex = at;
    const [whole, content] = quoted.exec(text) ?? [];
    if (whole === undefined || content === undefined) throw new ImapSyntaxError("A quoted string is malformed");
    this.add({ kind: "string", text: utf8Of(content.replaceAll(/\\(.)/g, "$1")) });
    return at + whole.length;
  }

  #readAtom(text: string, at: number): number {
    let end = at;
    for (let next = this.#atomPartEnd(text, end); next > end; next = this.#atomPartEnd(text, end)) end = next;
    if (end === at) throw new ImapSyntaxError("The command contains a character that is not allowed here");
    this.add({ kind: "atom", text: utf8Of(text.slice(at, end)) });
    return end;
  }

  /** Returns the position after the characters or the section at a position; the position itself for none. */
  #atomPartEnd(text: string, at: number): number {
    if (text.charAt(at) !== "[") return at + lengthAt(atomText, text, at);
    const length = this.#hasOpenBracket ? 0 : lengthAt(section, text, at);
    if (length === 0) this.#hasOpenBracket = true;
    return at + Math.max(1, length);
  }
}

/** Returns the length of what a sticky expression matches at a position; 0 for nothing. */
function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
