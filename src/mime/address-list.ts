import type { Contact } from "../core/message.ts";
import { contactCountMax } from "../core/limits.ts";
import { decodeEncodedWords } from "./encoded-word.ts";

/** One mailbox of the list while it is read. */
interface Draft {
  /** Everything outside brackets and comments, quoted strings with their quotes: what an address could be in. */
  text: string;
  /** Last comment, without its parentheses. */
  comment: string;
  /** What stood between `<` and `>`; null without. */
  bracketed: string | null;
}

/** Character codes at which plain text ends. */
const specials: ReadonlySet<number> = new Set(Buffer.from(',;"(<>:['));

interface Cursor {
  readonly text: string;
  position: number;
  /** Set once a quote was found that never closes: from there on quotes are ordinary characters. */
  quotesAreOrdinary: boolean;
  isInGroup: boolean;
  draft: Draft;
  readonly contacts: Contact[];
}

/**
 * Reads an address list (RFC 5322 §3.4 with the obsolete forms of §4.4, RFC 6532) in one pass. Takes an unfolded value
 * whose encoded words are still encoded: they are decoded in names only, so that nothing hidden in one becomes an
 * address. Groups give their members, routes are dropped, a comment names an address that has no other name, semicolons
 * also separate, missing brackets and quotes are tolerated. Text without an address is a contact with email "". Letter
 * case is kept. At most {@link contactCountMax} contacts.
 */
export function parseAddressList(value: string): Contact[] {
  const cursor: Cursor = {
    text: value,
    position: 0,
    quotesAreOrdinary: false,
    isInGroup: false,
    draft: emptyDraft(),
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
      if (character === ";") cursor.isInGroup = false;
      endMailbox(cursor);
      return;
    case '"':
      cursor.draft.text += readQuoted(cursor);
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
      cursor.draft.text += readLiteral(cursor);
      return;
    default:
      cursor.draft.text += readPlain(cursor);
  }
}

/** A colon ends the name of a group, unless an address has begun: then it is a stray character of it. */
function takeColon(cursor: Cursor): void {
  const { draft } = cursor;
  cursor.position += 1;
  if (cursor.isInGroup || draft.bracketed !== null || draft.text.includes("@")) {
    draft.text += ":";
    return;
  }
  cursor.isInGroup = true;
  cursor.draft = emptyDraft();
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

/** Nesting is counted, not entered. A comment that never closes goes to the end of the list. */
function readComment(cursor: Cursor): void {
  const { text } = cursor;
  const start = cursor.position + 1;
  let depth = 0;
  let position = cursor.position;
  do {
    const character = text[position];
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    position += character === "\\" ? 2 : 1;
  } while (depth > 0 && position < text.length);
  cursor.position = Math.min(position, text.length);
  cursor.draft.comment = text.slice(start, depth === 0 ? position - 1 : position);
  cursor.draft.text += " ";
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
 * one in the same mailbox counts only when the first was empty.
 */
function readBracketed(cursor: Cursor): void {
  const { text, draft } = cursor;
  const start = cursor.position + 1;
  const enders = text[start] === "@" ? "<>" : "<>,";
  cursor.position = start;
  while (cursor.position < text.length) {
    const character = text.charAt(cursor.position);
    if (enders.includes(character)) break;
    if (character === '"') readQuoted(cursor);
    else cursor.position += 1;
  }
  const inside = text.slice(start, cursor.position);
  if (text[cursor.position] === ">") cursor.position += 1;
  if (draft.bracketed === null || draft.bracketed === "") draft.bracketed = withoutRoute(inside.trim());
}

/** `@a,@b:user@example` → `user@example` (RFC 5322 §4.4). */
function withoutRoute(path: string): string {
  if (!path.startsWith("@")) return path;
  const colon = path.indexOf(":");
  return colon === -1 ? path : path.slice(colon + 1).trim();
}

function endMailbox(cursor: Cursor): void {
  const { draft } = cursor;
  if (draft.text === "" && draft.comment === "" && draft.bracketed === null) return;
  cursor.draft = emptyDraft();
  const contact = draft.bracketed === null ? bareContact(draft) : bracketedContact(draft, draft.bracketed);
  if (contact.name !== "" || contact.email !== "") cursor.contacts.push(contact);
}

function bracketedContact(draft: Draft, bracketed: string): Contact {
  const text = displayName(draft.text);
  // `a@b <>`: the address stands where the name should be.
  if (bracketed === "" && text.includes("@")) return bareContact(draft);
  return contactOf(text === "" ? displayName(draft.comment) : text, compactAddress(bracketed));
}

/** Without brackets the word with the last `@` is the address and the rest, or the comment, the name. */
function bareContact(draft: Draft): Contact {
  const words = addressWords(draft.text.trim());
  const index = words.findLastIndex((word) => word.includes("@"));
  const address = words[index];
  if (address === undefined) return contactOf(displayName(draft.text) || displayName(draft.comment), "");
  const rest = words.toSpliced(index, 1).join(" ");
  return contactOf(displayName(rest) || displayName(draft.comment), address);
}

/** One word when the text is nothing but an address. Beside a name, a full stop with a blank belongs to the name. */
function addressWords(text: string): string[] {
  const words = splitWords(compactAddress(text));
  return words.length === 1 ? words : splitWords(withoutBlanksAround(text, / ?(@) ?/g));
}

function contactOf(name: string, email: string): Contact {
  return { name, email, phone: null };
}

/** Removes the white space around `@` and `.` that RFC 5322 §4.4 allows. */
function compactAddress(text: string): string {
  return withoutBlanksAround(text, / ?([@.]) ?/g);
}

/** Leaves quoted strings as they are; elsewhere white space becomes one blank, and none where `pattern` takes it. */
function withoutBlanksAround(text: string, pattern: RegExp): string {
  if (!/\s/.test(text)) return text;
  return mapUnquoted(text, (piece) => piece.replaceAll(/\s+/g, " ").replaceAll(pattern, "$1"));
}

const wordPieces = /"(?:[^"\\]|\\.)*"|\s+|[^"\s]+|"/gs;

/** Words of a text that is not all white space; quoted strings are not split. */
function splitWords(text: string): string[] {
  const words: string[] = [];
  let word = "";
  for (const piece of text.match(wordPieces) ?? []) {
    if (piece.trim() !== "") word += piece;
    else if (word !== "") {
      words.push(word);
      word = "";
    }
  }
  if (word !== "") words.push(word);
  return words;
}

/** Display name as a reader sees it: without quotes, white space collapsed, encoded words decoded. */
function displayName(text: string): string {
  if (text === "") return "";
  const unquoted = text.includes('"') || text.includes("\\") ? unquote(text) : text;
  return decodeEncodedWords(unquoted.trim().replaceAll(/\s+/g, " ")).trim();
}

function unquote(text: string): string {
  return text.replaceAll(/\\(.)|"/gs, "$1");
}

function mapUnquoted(text: string, map: (piece: string) => string): string {
  if (!text.includes('"')) return map(text);
  return text.replaceAll(
    /("(?:[^"\\]|\\.)*")|([^"]+)/gs,
    (_all, quoted: string | undefined, plain: string | undefined) => quoted ?? map(plain ?? ""),
  );
}

function isSpecial(code: number): boolean {
  return code < 93 && specials.has(code);
}

function emptyDraft(): Draft {
  return { text: "", comment: "", bracketed: null };
}
