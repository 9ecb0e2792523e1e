import type { Contact } from "../core/message.ts";
import { contactCountMax } from "../core/limits.ts";
import { commentEnd, readLiteral, readPlain, readQuoted, withoutRoute } from "./address-tokens.ts";
import type { AddressChunk, AddressCursor } from "./address-tokens.ts";
import {
  addressWords,
  displayName,
  isAddressOfDomain,
  isPlainAddress,
  textOf,
  withoutBlanksAround,
  writtenName,
} from "./address-tokens.ts";

/** Mailbox of the list while it is being parsed. */
interface Draft {
  /** Text outside of brackets, which may contain an address; two unquoted chunks in a row only around brackets. */
  readonly chunks: AddressChunk[];
  /** Number of chunks before the brackets. */
  bracketsAfter: number;
  /** Whether a chunk contains an `@`. */
  hasAt: boolean;
  /** Last comment, without its parentheses. */
  comment: string;
  /** Text between `<` and `>` without comments; null if there are no brackets. */
  bracketed: string | null;
  /** Source route before it, such as `@a.example,@b.example`; "" for none. */
  route: string;
  /** Whether it follows the `;` of a group, where only comments and a comma may follow (RFC 5322 §3.4). */
  readonly isAfterGroup: boolean;
}

interface NameReader {
  /** Converts a display name as written to that of a contact or group. */
  readonly readName: (written: string) => string;
}

interface Cursor extends AddressCursor, NameReader {
  /** Set when an unclosed parenthesis is found that cannot be a comment: from there on parentheses are ordinary characters. */
  parenthesesAreOrdinary: boolean;
  isInGroup: boolean;
  draft: Draft;
  readonly contacts: Contact[];
  /** Source routes by the position of their contact. */
  readonly routes: Map<number, string>;
  readonly groups: OpenGroup[];
}

interface OpenGroup {
  readonly name: string;
  readonly from: number;
  to: number | null;
}

/** Group of an address list (RFC 5322 §3.4): the mailboxes `[from, to)` of the list. */
export interface AddressGroup {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Address list with its groups, in order. */
export interface GroupedAddresses {
  readonly contacts: readonly Contact[];
  readonly groups: readonly AddressGroup[];
  /** Obsolete source routes (RFC 5322 §4.4), as `@a.example,@b.example`, by the position of their contact. */
  readonly routes: ReadonlyMap<number, string>;
}

/**
 * Parses an address list (RFC 5322 §3.4 with the obsolete forms of §4.4, RFC 6532) in one pass, in time linear in its
 * length. Takes an unfolded value whose encoded words are still encoded: only display names are decoded, so that text
 * inside an encoded word cannot become an address. Groups are replaced by their members; routes and comments are
 * removed; a comment is the name of an address that has no other; semicolons also separate mailboxes; missing commas,
 * brackets, quotes and parentheses are tolerated. Text without an address becomes a contact with email "", except after a group.
 * Letter case is kept. Returns at most {@link contactCountMax} contacts.
 */
export function parseAddressList(value: string): Contact[] {
  return readList(value, displayName).contacts;
}

/** Parses an address list as {@link parseAddressList} does, with its groups, and leaves encoded words in names as they are. */
export function parseGroupedAddresses(value: string): GroupedAddresses {
  const { contacts, groups, routes } = readList(value, writtenName);
  return { contacts, routes, groups: groups.map(({ name, from, to }) => ({ name, from, to: to ?? contacts.length })) };
}

function readList(value: string, readName: Cursor["readName"]): Cursor {
  const cursor: Cursor = {
    text: value,
    position: 0,
    quotesAreOrdinary: false,
    parenthesesAreOrdinary: false,
    isInGroup: false,
    draft: emptyDraft(false),
    contacts: [],
    routes: new Map(),
    groups: [],
    readName,
  };
  while (cursor.position < value.length && cursor.contacts.length < contactCountMax) takeToken(cursor);
  if (cursor.contacts.length < contactCountMax) endMailbox(cursor);
  return cursor;
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
      // It has no matching `<`.
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

/** Ends the name of a group; if the text so far contains an address, the colon is an ordinary character. */
function takeColon(cursor: Cursor): void {
  const { draft } = cursor;
  cursor.position += 1;
  if (cursor.isInGroup || draft.bracketed !== null || draft.hasAt) {
    addPlain(draft, ":");
    return;
  }
  cursor.isInGroup = true;
  if (cursor.groups.length < contactCountMax) {
    cursor.groups.push({ name: cursor.readName(textOf(draft.chunks)), from: cursor.contacts.length, to: null });
  }
  cursor.draft = emptyDraft(false);
}

function endGroup(cursor: Cursor): void {
  if (!cursor.isInGroup) return;
  cursor.isInGroup = false;
  const group = cursor.groups.at(-1);
  if (group !== undefined) group.to ??= cursor.contacts.length;
  cursor.draft = emptyDraft(true);
}

function addPlain(draft: Draft, text: string): void {
  const { chunks } = draft;
  draft.hasAt ||= text.includes("@");
  const last = chunks.at(-1);
  if (last === undefined || last.isQuoted) chunks.push({ text, isQuoted: false });
  else last.text += text;
}

function addQuoted(draft: Draft, text: string): void {
  draft.hasAt ||= text.includes("@");
  draft.chunks.push({ text, isQuoted: true });
}

/** Reads a quoted string as one chunk; a quote that is never closed is ordinary text. */
function takeQuoted(cursor: Cursor): void {
  const text = readQuoted(cursor);
  if (text.length > 1) addQuoted(cursor.draft, text);
  else addPlain(cursor.draft, text);
}

/**
 * Reads a comment with its nested comments. One that is never closed extends to the end of the list, unless an address
 * follows: then its parenthesis is ordinary text.
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

/**
 * Reads `<…>`. Without `>` it ends at the next `<`, at a comma that is not part of a route, or at the end of the list.
 * A second pair is used if the first was empty, or begins another mailbox if it has another address: the comma is missing.
 * Comments inside are removed (RFC 5322 §3.4.1, CFWS).
 */
function readBracketed(cursor: Cursor): void {
  const { text } = cursor;
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
  takeBracketed(cursor, withoutBlanksAround(inside.chunks, / ?([@.]) ?/g).trim());
}

/** Ends the mailbox before the name of `address` if it has another address already. */
function takeBracketed(cursor: Cursor, address: string): void {
  const { bracketed, bracketsAfter, chunks } = cursor.draft;
  if (bracketed === null || (bracketed === "" && address !== "")) return setBracketed(cursor.draft, address);
  if (!isPlainAddress(address) || address === bracketed) return;
  const name = chunks.splice(bracketsAfter);
  endMailbox(cursor);
  cursor.draft = { ...emptyDraft(false), chunks: name };
  setBracketed(cursor.draft, address);
}

function setBracketed(draft: Draft, address: string): void {
  draft.bracketsAfter = draft.chunks.length;
  draft.chunks.push({ text: "", isQuoted: false });
  draft.bracketed = withoutRoute(address);
  draft.route = address
    .slice(0, address.length - draft.bracketed.length)
    .replaceAll(" ", "")
    .replace(/:$/, "");
}

function takeCommentInBrackets(cursor: Cursor, inside: Draft): void {
  const end = cursor.parenthesesAreOrdinary ? -1 : commentEnd(cursor.text, cursor.position);
  if (end === -1) cursor.parenthesesAreOrdinary = true;
  cursor.position = end === -1 ? cursor.position + 1 : end;
  addPlain(inside, end === -1 ? "(" : " ");
}

function endMailbox(cursor: Cursor): void {
  const { draft } = cursor;
  if (draft.chunks.length === 0 && draft.bracketed === null) return;
  cursor.draft = emptyDraft(false);
  for (const contact of contactsOf(cursor, draft).slice(0, contactCountMax - cursor.contacts.length)) {
    if (contact.email === "" && (draft.isAfterGroup || contact.name === "")) continue;
    if (draft.route !== "") cursor.routes.set(cursor.contacts.length, draft.route);
    cursor.contacts.push(contact);
  }
}

function contactsOf({ readName }: NameReader, draft: Draft): readonly Contact[] {
  const { chunks, comment, bracketed } = draft;
  if (bracketed === null) return bareContacts({ readName }, draft);
  const text = readName(textOf(chunks));
  // `a@b <>`: the address is in the place of the name.
  if (bracketed === "" && text.includes("@")) return bareContacts({ readName }, draft);
  return [contactOf(text === "" ? readName(comment) : text, bracketed)];
}

/**
 * Reads a text without brackets. If it has nothing but several addresses, commas are missing; else the word with the last `@`
 * is the address, and the other words or the comment are the name. A comment alone is not a mailbox.
 */
function bareContacts({ readName }: NameReader, { chunks, comment }: Draft): readonly Contact[] {
  const words = addressWords(chunks);
  if (words.length > 1 && words.every((word) => isAddressOfDomain(word))) {
    return [...new Set(words)].map((word) => contactOf("", word));
  }
  const index = words.findLastIndex((word) => word.includes("@"));
  const address = words[index];
  if (address === undefined) return [contactOf(readName(textOf(chunks)), "")];
  return [contactOf(readName(words.toSpliced(index, 1).join(" ")) || readName(comment), address)];
}

function contactOf(name: string, email: string): Contact {
  return { name, email, phone: null };
}

function emptyDraft(isAfterGroup: boolean): Draft {
  return { chunks: [], bracketsAfter: 0, hasAt: false, comment: "", bracketed: null, route: "", isAfterGroup };
}
