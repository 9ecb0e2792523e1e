/** Items of FETCH (RFC 9051 sections 6.4.5 and 9, `fetch-att`; RFC 3501 for RFC822, RFC822.HEADER and RFC822.TEXT). */
import type { HeaderSelection, MailSection } from "../../mime/structure/header-lines.ts";
import { ImapSyntaxError, type ImapToken } from "./tokenise.ts";

/** Part of a section. */
export interface PartialRange {
  readonly offset: number;
  readonly count: number;
}

/** Section of a mail that is fetched. */
export interface SectionItem {
  readonly kind: "section";
  /** Name in the response, without the offset of a partial fetch. */
  readonly label: string;
  readonly section: MailSection;
  /** Fields to select from a header section; null for all. */
  readonly fields: HeaderSelection | null;
  readonly partial: PartialRange | null;
  /** Whether fetching it sets the flag `\Seen`. */
  readonly setsSeen: boolean;
}

/** Part that is fetched without its transfer encoding (RFC 9051 section 6.4.5, BINARY). */
export interface BinaryItem {
  readonly kind: "binary" | "binarysize";
  /** Name in the response, without the offset of a partial fetch. */
  readonly label: string;
  /** Part specifier; empty for the whole mail. */
  readonly part: readonly number[];
  readonly partial: PartialRange | null;
  readonly setsSeen: boolean;
}

/** Item of FETCH. */
export type FetchItem =
  | { readonly kind: "flags" | "uid" | "internaldate" | "size" | "envelope" | "body" | "bodystructure" | "modseq" }
  | SectionItem
  | BinaryItem;

/** Items of one FETCH. */
const itemCountMax = 100;
/** Names of header fields of one item. */
const fieldCountMax = 200;

const whole: MailSection = { part: [], text: null };
const section = (label: string, text: MailSection["text"], setsSeen: boolean): SectionItem => ({
  kind: "section",
  label,
  section: { ...whole, text },
  fields: null,
  partial: null,
  setsSeen,
});

const fast: readonly FetchItem[] = [{ kind: "flags" }, { kind: "internaldate" }, { kind: "size" }];
const all: readonly FetchItem[] = [...fast, { kind: "envelope" }];
const macros: ReadonlyMap<string, readonly FetchItem[]> = new Map<string, readonly FetchItem[]>([
  ["FAST", fast],
  ["ALL", all],
  ["FULL", [...all, { kind: "body" }]],
]);
const simple: ReadonlyMap<string, FetchItem> = new Map<string, FetchItem>([
  ["FLAGS", { kind: "flags" }],
  ["UID", { kind: "uid" }],
  ["MODSEQ", { kind: "modseq" }],
  ["INTERNALDATE", { kind: "internaldate" }],
  ["RFC822.SIZE", { kind: "size" }],
  ["ENVELOPE", { kind: "envelope" }],
  ["BODY", { kind: "body" }],
  ["BODYSTRUCTURE", { kind: "bodystructure" }],
  ["RFC822", section("RFC822", null, true)],
  ["RFC822.HEADER", section("RFC822.HEADER", "HEADER", false)],
  ["RFC822.TEXT", section("RFC822.TEXT", "TEXT", true)],
]);

/** Reads the items of FETCH: a macro, one item or a list. Throws {@link ImapSyntaxError}. */
export function readFetchItems(token: ImapToken | undefined): readonly FetchItem[] {
  if (token?.kind === "atom") return macros.get(token.text.toUpperCase()) ?? [readItem(token)];
  if (token?.kind !== "list") throw new ImapSyntaxError("The items of FETCH are missing");
  if (token.items.length === 0 || token.items.length > itemCountMax) {
    throw new ImapSyntaxError(`FETCH takes 1 to ${itemCountMax} items`);
  }
  return token.items.map(readItem);
}

function readItem(token: ImapToken): FetchItem {
  if (token.kind !== "atom") throw new ImapSyntaxError("An item of FETCH is a name");
  const item = simple.get(token.text.toUpperCase()) ?? readSection(token.text) ?? readBinary(token.text);
  if (item === undefined) throw new ImapSyntaxError("FETCH has an unknown item");
  return item;
}

/** `BODY[section]<offset.count>` or BODY.PEEK: peek, part, period, text, offset and count. */
const sectionPattern =
  /^BODY(\.PEEK)?\[([1-9]\d{0,4}(?:\.[1-9]\d{0,4}){0,49})?(\.?)([A-Z].*)?\](?:<(\d{1,10})\.([1-9]\d{0,9})>)?$/is;

function readSection(name: string): SectionItem | undefined {
  const match = sectionPattern.exec(name);
  if (match === null) return undefined;
  const [, peek, numbers = "", period, rest = "", offset, count] = match;
  const names = [numbers, rest].filter((one) => one !== "");
  const read = readSectionText(rest, numbers !== "");
  if (read === undefined || (names.length === 2) !== (period === ".")) return undefined;
  return {
    kind: "section",
    label: `BODY[${numbers}${period}${read.label}]`,
    section: { part: names[0] === numbers ? numbers.split(".").map(Number) : [], text: read.text },
    fields: read.fields,
    partial: offset === undefined ? null : { offset: Number(offset), count: Number(count) },
    setsSeen: peek === undefined,
  };
}

/** `BINARY[part]<offset.count>`, BINARY.PEEK or BINARY.SIZE. */
const binaryPattern =
  /^BINARY(\.PEEK|\.SIZE)?\[((?:[1-9]\d{0,4}(?:\.[1-9]\d{0,4}){0,49})?)\](?:<(\d{1,10})\.([1-9]\d{0,9})>)?$/i;

function readBinary(name: string): BinaryItem | undefined {
  const match = binaryPattern.exec(name);
  if (match === null) return undefined;
  const [, suffix = "", numbers = "", offset, count] = match;
  const isSize = suffix.toUpperCase() === ".SIZE";
  if (isSize && offset !== undefined) return undefined;
  return {
    kind: isSize ? "binarysize" : "binary",
    label: `BINARY${isSize ? ".SIZE" : ""}[${numbers}]`,
    part: numbers === "" ? [] : numbers.split(".").map(Number),
    partial: offset === undefined ? null : { offset: Number(offset), count: Number(count) },
    setsSeen: suffix === "",
  };
}

interface SectionText {
  readonly label: string;
  readonly text: MailSection["text"];
  readonly fields: HeaderSelection | null;
}

function readSectionText(text: string, isOfPart: boolean): SectionText | undefined {
  const name = text.toUpperCase();
  if (name === "MIME" && !isOfPart) return undefined;
  if (name === "") return { label: "", text: null, fields: null };
  if (name === "HEADER" || name === "TEXT" || name === "MIME") return { label: name, text: name, fields: null };
  const [, not, list = ""] = /^HEADER\.FIELDS(\.NOT)? +\((.*)\)$/is.exec(text) ?? [];
  const names = list.trim().split(/ +/).map(unquoted);
  if (names.length > fieldCountMax || !names.every((field) => field !== undefined)) return undefined;
  const label = `HEADER.FIELDS${not === undefined ? "" : ".NOT"} (${names.map((field) => field.toUpperCase()).join(" ")})`;
  return { label, text: "HEADER", fields: { names, isNegated: not !== undefined } };
}

/** Returns the name of a header field (RFC 5322 section 2.2), which may be quoted; undefined when it is none. */
function unquoted(text: string): string | undefined {
  const name = /^"(.*)"$/s.exec(text)?.[1] ?? text;
  return /^[!-9;-~]+$/.test(name) && !/[(){"\\]/.test(name) ? name : undefined;
}
