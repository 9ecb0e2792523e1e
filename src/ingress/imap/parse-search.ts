/** Arguments of SEARCH (RFC 9051 section 6.4.4 and section 9, `search-program`). */
import { type MessageFlag, messageFlags } from "../../core/marks.ts";
import { ImapRefusal, no } from "./command.ts";
import { readSequenceSet, type SequenceRange } from "./sequence-set.ts";
import { ImapSyntaxError, type ImapToken } from "./tokenise.ts";

/** Sequence set; `saved` is `$`, the result that the session saved (RFC 9051 section 6.4.4.1). */
export type SearchedSet = readonly SequenceRange[] | "saved";

/**
 * Search key (RFC 9051 section 6.4.4, RFC 3501 section 6.4.4, RFC 7162 section 3.1.5). Days are midnight in UTC, in
 * milliseconds since the Unix epoch. A negated key is a `not`; NEW and OLD are combinations.
 */
export type ImapSearchKey =
  | { readonly kind: "all" }
  | { readonly kind: "flag"; readonly flag: MessageFlag }
  | { readonly kind: "keyword"; readonly keyword: string }
  | { readonly kind: "recent" }
  | { readonly kind: "address"; readonly field: "from" | "to" | "cc" | "bcc"; readonly text: string }
  | { readonly kind: "content"; readonly field: "subject" | "body" | "text"; readonly text: string }
  | { readonly kind: "header"; readonly name: string; readonly text: string }
  | {
      readonly kind: "date";
      readonly of: "received" | "sent";
      readonly comparison: "before" | "on" | "since";
      readonly day: number;
    }
  | { readonly kind: "size"; readonly comparison: "larger" | "smaller"; readonly bytes: number }
  | { readonly kind: "numbers"; readonly set: SearchedSet }
  | { readonly kind: "uids"; readonly set: SearchedSet }
  | { readonly kind: "modSequence"; readonly from: number }
  | { readonly kind: "not"; readonly of: ImapSearchKey }
  | { readonly kind: "and"; readonly of: readonly ImapSearchKey[] }
  | { readonly kind: "or"; readonly of: readonly ImapSearchKey[] };

/** Result option of a search (RFC 9051 section 6.4.4). */
export type SearchReturn = "MIN" | "MAX" | "ALL" | "COUNT" | "SAVE";

/** Arguments of SEARCH and UID SEARCH. */
export interface ImapSearch {
  /** Null without RETURN. */
  readonly returns: readonly SearchReturn[] | null;
  readonly key: ImapSearchKey;
}

/** Returns whether a key names a mod-sequence, so that the response reports one (RFC 7162 section 3.1.5). */
export function hasModSequence(key: ImapSearchKey): boolean {
  if (key.kind === "not") return hasModSequence(key.of);
  return key.kind === "and" || key.kind === "or" ? key.of.some(hasModSequence) : key.kind === "modSequence";
}

/** Keys of one search. */
export const searchKeyCountMax = 500;
/** Nesting of keys in keys. */
export const searchKeyDepthMax = 15;
/** UTF-16 units of one string. */
const searchStringLengthMax = 1000;

const returnOptions: readonly SearchReturn[] = ["MIN", "MAX", "ALL", "COUNT", "SAVE"];
const charsets: ReadonlySet<string> = new Set(["US-ASCII", "UTF-8"]);
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const all: ImapSearchKey = { kind: "all" };

/** Character set of a search that is not supported. */
export class ImapCharsetError extends ImapRefusal {
  override readonly name = "ImapCharsetError";

  constructor() {
    super(no("[BADCHARSET (US-ASCII UTF-8)] Unknown charset"));
  }
}

/**
 * Parses the arguments of SEARCH. Throws {@link ImapSyntaxError}, also beyond the limits of this file, and
 * {@link ImapCharsetError}.
 */
export function parseSearch(tokens: readonly ImapToken[]): ImapSearch {
  const reader: Reader = { tokens, at: 0, progress: { keyCount: 0 }, depth: 0 };
  const returns = isAtom(reader, "RETURN") ? readReturns(reader) : null;
  if (isAtom(reader, "CHARSET")) {
    reader.at += 1;
    const charset = readString(reader, "CHARSET");
    if (!charsets.has(charset.toUpperCase())) throw new ImapCharsetError();
  }
  return { returns, key: readKeys(reader) };
}

interface Reader {
  readonly tokens: readonly ImapToken[];
  at: number;
  /** Shared with the readers of lists. */
  readonly progress: { keyCount: number };
  readonly depth: number;
}

/** Reads the argument of a key. */
type ReadKey = (reader: Reader, name: string) => ImapSearchKey;

const not = (of: ImapSearchKey): ImapSearchKey => ({ kind: "not", of });
const flag =
  (name: MessageFlag): ReadKey =>
  () => ({ kind: "flag", flag: name });
const address =
  (field: "from" | "to" | "cc" | "bcc"): ReadKey =>
  (reader, name) => ({
    kind: "address",
    field,
    text: readString(reader, name),
  });
const content =
  (field: "subject" | "body" | "text"): ReadKey =>
  (reader, name) => ({
    kind: "content",
    field,
    text: readString(reader, name),
  });
const date =
  (of: "received" | "sent", comparison: "before" | "on" | "since"): ReadKey =>
  (reader, name) => ({
    kind: "date",
    of,
    comparison,
    day: readDay(readString(reader, name)),
  });
const size =
  (comparison: "larger" | "smaller"): ReadKey =>
  (reader, name) => ({
    kind: "size",
    comparison,
    bytes: readNumber(readString(reader, name)),
  });
const recent: ImapSearchKey = { kind: "recent" };

const keys: ReadonlyMap<string, ReadKey> = new Map<string, ReadKey>([
  ["ALL", () => all],
  ...messageFlags.map((name) => [name.toUpperCase(), flag(name)] as const),
  ...messageFlags.map((name) => [`UN${name.toUpperCase()}`, () => not({ kind: "flag", flag: name })] as const),
  ["RECENT", () => recent],
  ["OLD", () => not(recent)],
  ["NEW", () => ({ kind: "and", of: [recent, not({ kind: "flag", flag: "seen" })] })],
  ["KEYWORD", (reader, name) => ({ kind: "keyword", keyword: readString(reader, name) })],
  ["UNKEYWORD", (reader, name) => not({ kind: "keyword", keyword: readString(reader, name) })],
  ["FROM", address("from")],
  ["TO", address("to")],
  ["CC", address("cc")],
  ["BCC", address("bcc")],
  ["SUBJECT", content("subject")],
  ["BODY", content("body")],
  ["TEXT", content("text")],
  ["HEADER", (reader, name) => ({ kind: "header", name: readString(reader, name), text: readString(reader, name) })],
  ["BEFORE", date("received", "before")],
  ["ON", date("received", "on")],
  ["SINCE", date("received", "since")],
  ["SENTBEFORE", date("sent", "before")],
  ["SENTON", date("sent", "on")],
  ["SENTSINCE", date("sent", "since")],
  ["LARGER", size("larger")],
  ["SMALLER", size("smaller")],
  ["UID", (reader, name) => ({ kind: "uids", set: requireSet(readString(reader, name)) })],
  ["MODSEQ", readModSequence],
  ["NOT", (reader) => not(readKey(reader))],
  ["OR", (reader) => ({ kind: "or", of: [readKey(reader), readKey(reader)] })],
]);

/** Reads all remaining keys, at least one. */
function readKeys(reader: Reader): ImapSearchKey {
  const first = readKey(reader);
  const of = [first];
  while (reader.at < reader.tokens.length) of.push(readKey(reader));
  return of.length === 1 ? first : { kind: "and", of };
}

function readKey(outer: Reader): ImapSearchKey {
  const token = next(outer, "SEARCH");
  outer.progress.keyCount += 1;
  if (outer.progress.keyCount > searchKeyCountMax) throw new ImapSyntaxError("The search has too many keys");
  if (outer.depth >= searchKeyDepthMax) throw new ImapSyntaxError("The keys of the search are nested too deeply");
  const depth = outer.depth + 1;
  if (token.kind === "list") return readKeys({ ...outer, tokens: token.items, at: 0, depth });
  if (token.kind !== "atom") throw new ImapSyntaxError("A search key is a name, a sequence set or a list");
  const name = token.text.toUpperCase();
  const read = keys.get(name);
  if (read !== undefined) {
    const inner = { ...outer, depth };
    const key = read(inner, name);
    outer.at = inner.at;
    return key;
  }
  const set = readSet(token.text);
  if (set === undefined) throw new ImapSyntaxError(`${name.slice(0, 40)} is not a search key`);
  return { kind: "numbers", set };
}

function readReturns(reader: Reader): readonly SearchReturn[] {
  reader.at += 1;
  const token = next(reader, "RETURN");
  if (token.kind !== "list") throw new ImapSyntaxError("RETURN needs a list of options");
  const options = token.items.map((item) =>
    item.kind === "atom" ? returnOptions.find((option) => option === item.text.toUpperCase()) : undefined,
  );
  if (!options.every((option) => option !== undefined)) {
    throw new ImapSyntaxError(`The options of RETURN are ${returnOptions.join(", ")}`);
  }
  return options.length === 0 ? ["ALL"] : options;
}

/** Reads `MODSEQ [entry-name entry-type] n`; the entry is not compared: all flags of a message have one mod-sequence. */
function readModSequence(reader: Reader, name: string): ImapSearchKey {
  const first = readString(reader, name);
  if (!first.startsWith("/")) return { kind: "modSequence", from: readNumber(first) };
  if (!/^(?:priv|shared|all)$/i.test(readString(reader, name))) {
    throw new ImapSyntaxError("The type of an entry of MODSEQ is priv, shared or all");
  }
  return { kind: "modSequence", from: readNumber(readString(reader, name)) };
}

function isAtom({ tokens, at }: Reader, name: string): boolean {
  const token = tokens[at];
  return token?.kind === "atom" && token.text.toUpperCase() === name;
}

function next(reader: Reader, name: string): ImapToken {
  const token = reader.tokens[reader.at];
  if (token === undefined) throw new ImapSyntaxError(`${name} needs another argument`);
  reader.at += 1;
  return token;
}

function readString(reader: Reader, name: string): string {
  const token = next(reader, name);
  if (token.kind !== "atom" && token.kind !== "string") throw new ImapSyntaxError(`${name} needs a string`);
  if (token.text.length > searchStringLengthMax) {
    throw new ImapSyntaxError(`At most ${searchStringLengthMax} characters can be searched for`);
  }
  return token.text;
}

function readNumber(text: string): number {
  const number = /^\d{1,19}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new ImapSyntaxError(`${text.slice(0, 40)} is not a number`);
  return number;
}

/** Returns midnight of a date such as `1-Feb-2026`. */
function readDay(text: string): number {
  const [, day = "", month = "", year = ""] = /^(\d{1,2})-([a-z]{3})-(\d{4})$/i.exec(text) ?? [];
  const at = new Date(0);
  at.setUTCFullYear(Number(year), months.indexOf(month.toLowerCase()), Number(day));
  if (year === "" || at.getUTCMonth() !== months.indexOf(month.toLowerCase()) || at.getUTCDate() !== Number(day)) {
    throw new ImapSyntaxError(`${text.slice(0, 40)} is not a date such as 1-Feb-2026`);
  }
  return at.getTime();
}

function readSet(text: string): SearchedSet | undefined {
  return text === "$" ? "saved" : readSequenceSet(text);
}

function requireSet(text: string): SearchedSet {
  const set = readSet(text);
  if (set === undefined) throw new ImapSyntaxError(`${text.slice(0, 40)} is not a sequence set`);
  return set;
}
