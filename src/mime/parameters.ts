import { withoutComments } from "../core/mail-date.ts";
import { decodeCharset, isKnownCharset } from "./charset.ts";
import type { Defect } from "./part.ts";
import { decodeEncodedWords } from "./encoded-word.ts";

/** Field of the form `value; name=value; …`: Content-Type, Content-Disposition. */
export interface StructuredValue {
  /** Text before the parameters: lower case, comments removed. */
  readonly value: string;
  /** Lower-case name → decoded value. The first of repeated ones is used; an RFC 2231 form wins over a plain one. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Segment `name*3*=value` (RFC 2231). */
interface Segment {
  readonly text: string;
  readonly isExtended: boolean;
}

interface Cursor {
  readonly text: string;
  position: number;
}

/** Parameters whose unquoted values keep their parentheses: `filename=report (1).pdf` is more common than a comment. */
const verbatimNames: ReadonlySet<string> = new Set(["name", "filename", "boundary"]);

/**
 * Parses a structured field value (RFC 2045 §5.1) in one pass: quoted strings, comments, continuations and charsets of
 * RFC 2231 (joined as bytes up to the first gap in their numbers), encoded words in values although RFC 2047 §5 forbids
 * them, unquoted blanks, missing quotes, stray semicolons, and a missing semicolon after the value. A backslash is
 * literal unless it quotes `"` or `\`. Unknown charsets are added to `defects`.
 */
export function parseStructuredValue(text: string, defects?: Set<Defect>): StructuredValue {
  const valueEnd = endOfValue(text);
  const value = withoutComments(text.slice(0, valueEnd));
  const plain = new Map<string, string>();
  const segmented = new Map<string, Map<number, Segment>>();
  const cursor: Cursor = { text, position: text[valueEnd] === ";" ? valueEnd + 1 : valueEnd };
  while (cursor.position < text.length) {
    const name = readName(cursor);
    if (text[cursor.position] !== "=") {
      cursor.position += 1;
      continue;
    }
    cursor.position += 1;
    const parameterValue = readValue(cursor, verbatimNames.has(name.split("*", 1)[0] ?? ""));
    const star = name.indexOf("*");
    if (star > 0) addSegment(segmented, name, parameterValue);
    else if (name !== "" && !plain.has(name)) {
      // A boundary is compared as written, and some boundaries look like encoded words.
      plain.set(name, name === "boundary" ? parameterValue : decodeEncodedWords(parameterValue, defects));
    }
  }
  for (const [name, segments] of segmented) {
    const joined = joinSegments(segments, defects);
    if (joined !== null) plain.set(name, joined);
  }
  return { value: value.trim().toLowerCase(), parameters: plain };
}

/** Returns the boundary of a multipart as it is written in lines, one character for each byte; "" without one. */
export function writtenBoundary(parameters: StructuredValue["parameters"]): string {
  // A parameter with 8-bit characters was decoded from UTF-8.
  return Buffer.from((parameters.get("boundary") ?? "").trimEnd(), "utf8").toString("latin1");
}

/** Returns the end of the value: the first semicolon, or the start of a parameter without one. */
function endOfValue(text: string): number {
  const beforeParameter = /^\s*[^\s;="()]+\s+(?=[\w*-]+\s*=)/.exec(text);
  if (beforeParameter !== null) return beforeParameter[0].length;
  const semicolon = text.indexOf(";");
  return semicolon === -1 ? text.length : semicolon;
}

/** Reads up to `=` or `;` and leaves the cursor on it. */
function readName(cursor: Cursor): string {
  const { text } = cursor;
  const start = cursor.position;
  while (cursor.position < text.length && text[cursor.position] !== "=" && text[cursor.position] !== ";") {
    cursor.position += 1;
  }
  return withoutComments(text.slice(start, cursor.position)).trim().toLowerCase();
}

/** Reads a value and moves the cursor after the next `;`. */
function readValue(cursor: Cursor, isVerbatim: boolean): string {
  const { text } = cursor;
  while (isBlank(text[cursor.position])) cursor.position += 1;
  if (text[cursor.position] === '"') {
    const quoted = readQuoted(cursor);
    const semicolon = text.indexOf(";", cursor.position);
    cursor.position = semicolon === -1 ? text.length : semicolon + 1;
    return quoted;
  }
  const semicolon = text.indexOf(";", cursor.position);
  const end = semicolon === -1 ? text.length : semicolon;
  const token = text.slice(cursor.position, end);
  cursor.position = end + 1;
  return (isVerbatim ? token : withoutComments(token)).trim();
}

function readQuoted(cursor: Cursor): string {
  const { text } = cursor;
  let value = "";
  let from = cursor.position + 1;
  let position = from;
  while (position < text.length && text[position] !== '"') {
    const next = text[position + 1];
    if (text[position] === "\\" && (next === '"' || next === "\\")) {
      value += text.slice(from, position);
      from = position + 1;
      position += 1;
    }
    position += 1;
  }
  cursor.position = position + 1;
  return value + text.slice(from, position);
}

function addSegment(segmented: Map<string, Map<number, Segment>>, name: string, text: string): void {
  const star = name.indexOf("*");
  const base = name.slice(0, star);
  const suffix = name.slice(star + 1);
  const isExtended = suffix === "" || suffix.endsWith("*");
  const digits = suffix.endsWith("*") ? suffix.slice(0, -1) : suffix;
  if (!/^\d{0,6}$/.test(digits)) return;
  const segments = segmented.get(base) ?? new Map<number, Segment>();
  const index = Number(digits);
  if (!segments.has(index)) segments.set(index, { text, isExtended });
  segmented.set(base, segments);
}

/** Joins the segments; null without segment 0. */
function joinSegments(segments: ReadonlyMap<number, Segment>, defects?: Set<Defect>): string | null {
  const first = segments.get(0);
  if (first === undefined) return null;
  const [charset, firstText] = first.isExtended ? splitCharset(first.text) : [null, first.text];
  const buffers: Buffer[] = [];
  let isAnyExtended = false;
  for (let index = 0; ; index += 1) {
    const segment = segments.get(index);
    if (segment === undefined) break;
    const text = index === 0 ? firstText : segment.text;
    buffers.push(segment.isExtended ? percentDecode(text) : Buffer.from(text, "utf8"));
    isAnyExtended ||= segment.isExtended;
  }
  if (defects !== undefined && !isKnownCharset(charset)) defects.add("unknown_charset");
  const text = decodeCharset(Buffer.concat(buffers), charset);
  return isAnyExtended ? text : decodeEncodedWords(text, defects);
}

/** Splits `charset'language'text`; without both quotes the whole value is text. */
function splitCharset(value: string): [string | null, string] {
  const first = value.indexOf("'");
  const second = first === -1 ? -1 : value.indexOf("'", first + 1);
  if (second === -1) return [null, value];
  return [first === 0 ? null : value.slice(0, first), value.slice(second + 1)];
}

function percentDecode(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  let length = 0;
  for (let position = 0; position < bytes.length; position += 1) {
    const byte = bytes[position] ?? 0;
    const digits = byte === 0x25 ? bytes.toString("latin1", position + 1, position + 3) : "";
    const isEscape = /^[0-9a-f]{2}$/i.test(digits);
    bytes[length++] = isEscape ? Number.parseInt(digits, 16) : byte;
    if (isEscape) position += 2;
  }
  return bytes.subarray(0, length);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}
