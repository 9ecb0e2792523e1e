/** Zone files (RFC 1035 §5), limited to the record types that mail tests need. */
import { isIPv4, isIPv6 } from "node:net";
import type { RecordType } from "./dns.ts";

/** Error in a line of a zone file; the message has the line number and the reason. */
export class ZoneError extends Error {
  override readonly name: string = "ZoneError";

  constructor(line: number, reason: string) {
    super(`Line ${line}: ${reason}`);
  }
}

const recordCountMax = 10_000;
const aliasCountMax = 8;
const nameLengthMax = 253;
/** Record types that are accepted in zone files and ignored. */
const ignoredTypes: ReadonlySet<string> = new Set([
  "SOA",
  "SPF",
  "CAA",
  "SRV",
  "TLSA",
  "DS",
  "DNSKEY",
  "RRSIG",
  "NSEC",
]);

/** Records of a zone file. */
export class Zone {
  /** `TYPE name` → records, names in lower case without the trailing dot. */
  readonly #records = new Map<string, string[]>();
  /** Names with records, and those above. */
  readonly #names = new Set<string>();
  #count = 0;

  /** Number of records. */
  get recordCount(): number {
    return this.#count;
  }

  /** Adds a record; `name` is absolute, without the trailing dot. */
  add(name: string, type: string, content: string): void {
    const key = `${type} ${name.toLowerCase()}`;
    const same = this.#records.get(key);
    if (same === undefined) this.#records.set(key, [content]);
    else same.push(content);
    this.#count += 1;
    for (let above = name.toLowerCase(); above !== "" && !this.#names.has(above); above = parentOf(above))
      this.#names.add(above);
  }

  /**
   * Returns the records of a name and type in the order of the file, aliases followed (RFC 1034 §3.6.2), wildcards
   * applied (RFC 4592).
   */
  find(name: string, type: RecordType): readonly string[] {
    let current = name.toLowerCase().replace(/\.$/, "");
    for (let step = 0; step <= aliasCountMax; step += 1) {
      const found = this.#at(current, type);
      if (found.length > 0 || type === "CNAME") return found;
      const [alias] = this.#at(current, "CNAME");
      if (alias === undefined) return [];
      current = alias.toLowerCase();
    }
    return [];
  }

  #at(name: string, type: string): readonly string[] {
    const exact = this.#records.get(`${type} ${name}`);
    if (exact !== undefined) return exact;
    // The closest name that exists has the wildcard (RFC 4592 §3.3.1); a name that exists has none.
    let encloser = name;
    while (encloser !== "" && !this.#names.has(encloser)) encloser = parentOf(encloser);
    const wildcard = encloser === "" ? "*" : `*.${encloser}`;
    return encloser === name ? [] : (this.#records.get(`${type} ${wildcard}`) ?? []);
  }
}

/** Returns a name without its first label; "" is the root. */
function parentOf(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1);
}

/**
 * Parses a zone file: `$ORIGIN`, `$TTL`, comments, parentheses over several lines, quoted strings, `@`, a blank owner
 * for the previous one. Names without a trailing dot are relative to the origin, which is the root until the file sets
 * another. Types that no check uses are skipped. Throws {@link ZoneError}; linear in the text.
 */
export function parseZone(text: string): Zone {
  const zone = new Zone();
  const names = { origin: "", owner: "" };
  for (const line of readZoneLines(text)) {
    const first = line.words[0]?.text ?? "";
    if (first.startsWith("$")) {
      names.origin = originAfter(line, names.origin);
      continue;
    }
    if (!line.hasBlankOwner) names.owner = absolute(line, first, names.origin);
    addRecord(zone, line, names);
    if (zone.recordCount > recordCountMax) {
      throw new ZoneError(line.number, `a zone has at most ${recordCountMax} records`);
    }
  }
  return zone;
}

/** Returns the origin after a line with a directive. */
function originAfter(line: ZoneLine, before: string): string {
  const [directive, argument] = line.words;
  if (directive?.text === "$TTL") return before;
  if (directive?.text === "$ORIGIN") return absolute(line, argument?.text ?? "", "");
  throw new ZoneError(line.number, `${directive?.text ?? ""} is not supported`);
}

function addRecord(zone: Zone, line: ZoneLine, { owner, origin }: { owner: string; origin: string }): void {
  const rest = line.words.slice(line.hasBlankOwner ? 0 : 1);
  while (rest[0] !== undefined && !rest[0].isQuoted && /^(?:\d+[smhdw]?|IN)$/i.test(rest[0].text)) rest.shift();
  const type = rest.shift()?.text.toUpperCase() ?? "";
  if (ignoredTypes.has(type)) return;
  if (type === "") throw new ZoneError(line.number, "a record type is missing");
  const read = readers[type];
  if (read === undefined) throw new ZoneError(line.number, `the type ${type.slice(0, 20)} is not supported`);
  const content = rest.map(({ text }) => text);
  if (content.length === 0) throw new ZoneError(line.number, `${type} needs a value`);
  zone.add(owner, type, read(content, line, origin));
}

/** Returns the content of a record, as look-ups return it. */
type ContentReader = (content: readonly string[], line: ZoneLine, origin: string) => string;

const name: ContentReader = (content, line, origin) => absolute(line, only(content, line), origin);

const readers: Readonly<Record<string, ContentReader>> = {
  TXT: (content) => content.join(""),
  CNAME: name,
  NS: name,
  PTR: name,
  A: (content, line) => {
    if (!isIPv4(only(content, line))) throw new ZoneError(line.number, "A takes an IPv4 address");
    return only(content, line);
  },
  AAAA: (content, line) => {
    if (!isIPv6(only(content, line))) throw new ZoneError(line.number, "AAAA takes an IPv6 address");
    return only(content, line);
  },
  MX: ([preference = "", host, further], line, origin) => {
    if (!/^\d{1,5}$/.test(preference) || host === undefined || further !== undefined) {
      throw new ZoneError(line.number, "MX takes a number and a name");
    }
    return `${preference} ${absolute(line, host, origin)}`;
  },
};

function only([value = "", further]: readonly string[], line: ZoneLine): string {
  if (further !== undefined) throw new ZoneError(line.number, "a record has too many values");
  return value;
}

function absolute(line: ZoneLine, given: string, origin: string): string {
  const full = given === "@" ? origin : given.endsWith(".") ? given.slice(0, -1) : below(given, origin);
  if (full.length > nameLengthMax || !/^(?:[^\s.]{1,63}(?:\.[^\s.]{1,63})*)?$/.test(full)) {
    throw new ZoneError(line.number, "a name is invalid");
  }
  return full;
}

function below(label: string, origin: string): string {
  return origin === "" ? label : `${label}.${origin}`;
}

/** Word of a zone file, without quotes. */
interface ZoneWord {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Entry of a zone file with at least one word, lines in parentheses joined and comments removed. */
interface ZoneLine {
  /** Number of its first line, from 1. */
  readonly number: number;
  /** Whether it starts with white space and so has the owner of the entry before. */
  readonly hasBlankOwner: boolean;
  readonly words: readonly ZoneWord[];
}

const token = /(\r?\n)|([ \t\r]+)|;[^\n]*|"((?:[^"\\\n]|\\[^\n])*)"?|([()])|((?:[^\s;()"\\]|\\[^\n])+)|(\\)/g;

/** Splits a zone file into its entries (RFC 1035 §5.1). Never throws; linear in the text. */
function* readZoneLines(text: string): Generator<ZoneLine> {
  const reader = new LineReader();
  for (const match of text.matchAll(token)) {
    const line = reader.take(match);
    if (line !== null) yield line;
  }
  const last = reader.end();
  if (last !== null) yield last;
}

class LineReader {
  #number = 1;
  #start = 1;
  #depth = 0;
  #isLineStart = true;
  #hasBlankOwner = false;
  #words: ZoneWord[] = [];

  /** Takes the next token; returns the entry that it ends, or null. */
  take([, lineEnd, blank, quoted, bracket, word]: RegExpMatchArray): ZoneLine | null {
    if (lineEnd !== undefined) {
      this.#number += 1;
      return this.#depth === 0 ? this.end() : null;
    }
    if (this.#isLineStart && blank !== undefined) this.#hasBlankOwner = true;
    this.#isLineStart = false;
    if (bracket !== undefined) this.#depth = bracket === "(" ? this.#depth + 1 : Math.max(0, this.#depth - 1);
    const content = quoted ?? word;
    if (content !== undefined) this.#words.push({ text: unescape(content), isQuoted: quoted !== undefined });
    return null;
  }

  /** Returns the current entry if it has a word, and starts the next one. */
  end(): ZoneLine | null {
    const line = { number: this.#start, hasBlankOwner: this.#hasBlankOwner, words: this.#words };
    this.#start = this.#number;
    this.#isLineStart = true;
    this.#hasBlankOwner = false;
    this.#words = [];
    return line.words.length === 0 ? null : line;
  }
}

/** Decodes escapes: `\\DDD` is a character by its number, `\\X` is X itself. */
function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(\d{3}|[\s\S])/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number(code) & 0xff) : code,
  );
}
