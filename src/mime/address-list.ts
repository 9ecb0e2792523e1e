import type { Contact } from "../core/message.ts";
import { contactCountMax } from "../core/limits.ts";
import { displayName, splitWords, textOf, withoutBlanksAround } from "./address-words.ts";
import type { Piece } from "./address-words.ts";

/** One mailbox of the list while it is read. */
interface Draft {
  /** What an address without brackets could be in; never two unquoted pieces in a row. */
  readonly pieces: Piece[];
  /** Whether any piece holds an `@`. */
  hasAt: boolean;
  /** Last comment, without its parentheses. */
  comment: string;
  /** What stood between `<` and `>`, comments removed; null without. */
  bracketed: string | null;
  /** Whether it stands behind the `;` of a group, where only comments and a comma may follow (RFC 5322 §3.4). */
  readonly isBehindGroup: boolean;
}

/** Character codes at which plain text ends. */
const specials: ReadonlySet<number> = new Set(Buffer.from(',;"(<>:['));

interface Cursor {
  readonly text: string;
  position: number;
  /** Set once a quote was found that never closes: from there on quotes are ordinary characters. */
  quotesAreOrdinary: boolean;
  /** As for quotes: set once a parenthesis was found that never closes and cannot be a comment. */
  parenthesesAreOrdinary: boolean;
  isInGroup: boolean;
  draft: Draft;
  readonly contacts: Contact[];
}

/**
 * Reads an address list (RFC 5322 §3.4 with the obsolete forms of §4.4, RFC 6532) in one pass, in time linear in its
 * length. Takes an unfolded value whose encoded words are still encoded: they are decoded in names only, so that nothing
 * hidden in one becomes an address. Groups give their members, routes and comments are dropped, a comment names an
 * address that has no other name, semicolons also separate, missing brackets, quotes and parentheses are tolerated. Text
 * without an address is a contact with email "", except behind a group. Letter case is kept. At most
 * {@link contactCountMax} contacts.
 */
export function parseAddressList(value: string): Contact[] {
  const cursor: Cursor = {
    text: value,
    position: 0,
    quotesAreOrdinary: false,
    parenthesesAreOrdinary: false,
    isInGroup: false,
    draft: emptyDraft(false),
    contacts: [],
  };
  while (cursor.position < value.length && cursor.contacts.length < contactCountMax) takeToken(cursor);
  if (cursor.contacts.length < contactCountMax) endMailbox(cursor);
  return cursor.contacts;
}

function takeToken(cursor: Cursor): void {
  const character = cursor.text.charAt(cursor.position);
  switch (character) {
    case ",":
    case ";":
      cursor.position += 1;
      endMailbox(cursor);
      if (character === ";") endGroup(cursor);
      return;
    case '"':
      takeQuoted(cursor);
      return;
    case "(":
      readComment(cursor);
      return;
    case "<":
      readBracketed(cursor);
      return;
    case ">":
      // It closes nothing: what it was to close has ended, or never begun.
      cursor.position += 1;
      return;
    case ":":
      takeColon(cursor);
      return;
    case "[":
      addPlain(cursor.draft, readLiteral(cursor));
      return;
    default:
      addPlain(cursor.draft, readPlain(cursor));
  }
}

/** A colon ends the name of a group, unless an address has begun: then it is a stray character of it. */
function takeColon(cursor: Cursor): void {
  const { draft } = cursor;
  cursor.position += 1;
  if (cursor.isInGroup || draft.bracketed !== null || draft.hasAt) {
    addPlain(draft, ":");
    return;
  }
  cursor.isInGroup = true;
  cursor.draft = emptyDraft(false);
}

function endGroup(cursor: Cursor): void {
  if (!cursor.isInGroup) return;
  cursor.isInGroup = false;
  cursor.draft = emptyDraft(true);
}

function addPlain(draft: Draft, text: string): void {
  const { pieces } = draft;
  draft.hasAt ||= text.includes("@");
  const last = pieces.at(-1);
  if (last === undefined || last.isQuoted) pieces.push({ text, isQuoted: false });
  else last.text += text;
}

function addQuoted(draft: Draft, text: string): void {
  draft.hasAt ||= text.includes("@");
  draft.pieces.push({ text, isQuoted: true });
}

/** A quoted string is one piece; a quote that never closes is ordinary text. */
function takeQuoted(cursor: Cursor): void {
  const text = readQuoted(cursor);
  if (text.length > 1) addQuoted(cursor.draft, text);
  else addPlain(cursor.draft, text);
}

function readPlain(cursor: Cursor): string {
  const { text } = cursor;
  const start = cursor.position;
  do {
    cursor.position += text[cursor.position] === "\\" ? 2 : 1;
  } while (cursor.position < text.length && !isSpecial(text.charCodeAt(cursor.position)));
  cursor.position = Math.min(cursor.position, text.length);
  return text.slice(start, cursor.position);
}

/** A quoted string with its quotes; a quote that never closes is an ordinary character. */
function readQuoted(cursor: Cursor): string {
  const start = cursor.position;
  const end = cursor.quotesAreOrdinary ? -1 : quoteEnd(cursor.text, start);
  if (end === -1) cursor.quotesAreOrdinary = true;
  cursor.position = end === -1 ? start + 1 : end;
  return cursor.text.slice(start, cursor.position);
}

/** Offset behind the quoted string that begins at `start`; -1 when it never closes. */
function quoteEnd(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position += 1) {
    if (text[position] === '"') return position + 1;
    if (text[position] === "\\") position += 1;
  }
  return -1;
}

/**
 * A comment, nested ones included. One that never closes goes to the end of the list, unless an address follows: then
 * its parenthesis is ordinary text.
 */
function readComment(cursor: Cursor): void {
  const { text, draft } = cursor;
  const start = cursor.position + 1;
  const end = cursor.parenthesesAreOrdinary ? -1 : commentEnd(text, cursor.position);
  if (end === -1 && (cursor.parenthesesAreOrdinary || text.includes("@", start))) {
    cursor.parenthesesAreOrdinary = true;
    cursor.position = start;
    addPlain(draft, "(");
    return;
  }
  cursor.position = end === -1 ? text.length : end;
  draft.comment = text.slice(start, end === -1 ? text.length : end - 1);
  addPlain(draft, " ");
}

/** Offset behind the comment (RFC 5322 §3.2.2) that begins at `start`; -1 when it never closes. Nesting is counted. */
function commentEnd(text: string, start: number): number {
  let depth = 0;
  for (let position = start; position < text.length; position += 1) {
    const character = text[position];
    if (character === "\\") position += 1;
    else if (character === "(") depth += 1;
    else if (character === ")") {
      depth -= 1;
      if (depth === 0) return position + 1;
    }
  }
  return -1;
}

/** A domain literal, `[192.0.2.1]`, `[IPv6:…]`: its colons are no groups. Without an end it is ordinary text. */
function readLiteral(cursor: Cursor): string {
  const { text } = cursor;
  const start = cursor.position;
  let end = start + 1;
  while (end < text.length && !'],<>"'.includes(text.charAt(end))) end += 1;
  cursor.position = text[end] === "]" ? end + 1 : end;
  return text.slice(start, cursor.position);
}

/**
 * `<…>`. Without its `>` it ends at the next `<`, at a comma that belongs to no route, or with the list. A second
 * one in the same mailbox counts only when the first was empty. Comments within are dropped (RFC 5322 §3.4.1, CFWS).
 */
function readBracketed(cursor: Cursor): void {
  const { text, draft } = cursor;
  const start = cursor.position + 1;
  const enders = text[start] === "@" ? "<>" : "<>,";
  const inside = emptyDraft(false);
  let from = start;
  cursor.position = start;
  while (cursor.position < text.length) {
    const character = text.charAt(cursor.position);
    if (enders.includes(character)) break;
    if (character !== '"' && character !== "(") {
      cursor.position += 1;
      continue;
    }
    if (cursor.position > from) addPlain(inside, text.slice(from, cursor.position));
    if (character === '"') addQuoted(inside, readQuoted(cursor));
    else takeCommentInBrackets(cursor, inside);
    from = cursor.position;
  }
  if (cursor.position > from) addPlain(inside, text.slice(from, cursor.position));
  if (text[cursor.position] === ">") cursor.position += 1;
  if (draft.bracketed !== null && draft.bracketed !== "") return;
  draft.bracketed = withoutRoute(withoutBlanksAround(inside.pieces, / ?([@.]) ?/g).trim());
}

function takeCommentInBrackets(cursor: Cursor, inside: Draft): void {
  const end = cursor.parenthesesAreOrdinary ? -1 : commentEnd(cursor.text, cursor.position);
  if (end === -1) cursor.parenthesesAreOrdinary = true;
  cursor.position = end === -1 ? cursor.position + 1 : end;
  addPlain(inside, end === -1 ? "(" : " ");
}

/** `@a,@b:user@example` → `user@example` (RFC 5322 §4.4). */
function withoutRoute(path: string): string {
  if (!path.startsWith("@")) return path;
  const colon = path.indexOf(":");
  return colon === -1 ? path : path.slice(colon + 1).trim();
}

function endMailbox(cursor: Cursor): void {
  const { draft } = cursor;
  if (draft.pieces.length === 0 && draft.bracketed === null) return;
  cursor.draft = emptyDraft(false);
  const contact = draft.bracketed === null ? bareContact(draft) : bracketedContact(draft, draft.bracketed);
  if (draft.isBehindGroup && contact.email === "") return;
  if (contact.name !== "" || contact.email !== "") cursor.contacts.push(contact);
}

function bracketedContact(draft: Draft, bracketed: string): Contact {
  const text = displayName(textOf(draft.pieces));
  // `a@b <>`: the address stands where the name should be.
  if (bracketed === "" && text.includes("@")) return bareContact(draft);
  return contactOf(text === "" ? displayName(draft.comment) : text, bracketed);
}

/**
 * Without brackets the word with the last `@` is the address and the rest, or the comment, the name. A comment alone is
 * nothing.
 */
function bareContact(draft: Draft): Contact {
  const words = addressWords(draft.pieces);
  const index = words.findLastIndex((word) => word.includes("@"));
  const address = words[index];
  if (address === undefined) return contactOf(displayName(textOf(draft.pieces)), "");
  const rest = words.toSpliced(index, 1).join(" ");
  return contactOf(displayName(rest) || displayName(draft.comment), address);
}

/** One word when the text is nothing but an address. Beside a name, a full stop with a blank belongs to the name. */
function addressWords(pieces: readonly Piece[]): readonly string[] {
  const words = splitWords(pieces, / ?([@.]) ?/g);
  return words.length === 1 ? words : splitWords(pieces, / ?(@) ?/g);
}

function contactOf(name: string, email: string): Contact {
  return { name, email, phone: null };
}

function isSpecial(code: number): boolean {
  return code < 93 && specials.has(code);
}

function emptyDraft(isBehindGroup: boolean): Draft {
  return { pieces: [], hasAt: false, comment: "", bracketed: null, isBehindGroup };
}
