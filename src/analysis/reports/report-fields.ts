/** Groups of fields (RFC 3464 §2.1), the machine-readable form of reports about single mails. */
import { readMailDate } from "../../core/mail-date.ts";
import { decodeEncodedWords } from "../../mime/encoded-word.ts";
import { fieldText, readHeaderSection } from "../../mime/header-section.ts";
import { isEmptyLine, type MimeLimits, nextLine, openSource } from "../../mime/source.ts";

/** Field of a group: its name in lower case, and its value, decoded and not empty. */
interface ReportField {
  readonly name: string;
  readonly value: string;
}

/** Group of fields. */
export type FieldGroup = readonly ReportField[];

/** Groups that are read. */
const groupCountMax = 1001;

/** Returns the groups of fields in a decoded part, without empty ones, at most 1,001. Never throws; linear in the part. */
export function readFieldGroups(bytes: Uint8Array, limits: MimeLimits): readonly FieldGroup[] {
  const source = openSource(bytes, limits);
  const groups: FieldGroup[] = [];
  for (let at = 0; at < source.raw.length && groups.length < groupCountMax;) {
    if (isEmptyLine(source, at)) {
      at = nextLine(source, at);
      continue;
    }
    const { fields, bodyStart } = readHeaderSection(source, at, () => false);
    const group = fields.flatMap((field): FieldGroup => {
      const value = textOf(decodeEncodedWords(fieldText(source, field)).replaceAll(/\s+/g, " "));
      return value === null ? [] : [{ name: field.name.toLowerCase(), value }];
    });
    if (group.length > 0) groups.push(group);
    // A line that is no field ends the section where it begins.
    at = bodyStart > at ? bodyStart : nextLine(source, at);
  }
  return groups;
}

/** Returns the first value of a field; null without one. */
export function valueOf(group: FieldGroup, name: string): string | null {
  return group.find((field) => field.name === name)?.value ?? null;
}

/** Returns all values of a field, at most 50. */
export function valuesOf(group: FieldGroup, name: string): readonly string[] {
  return group.flatMap((field) => (field.name === name ? [field.value] : [])).slice(0, 50);
}

/** Returns the instant of a date field as an ISO 8601 date; null without a date. */
export function dateOf(group: FieldGroup, name: string): string | null {
  const text = valueOf(group, name);
  return text === null ? null : isoOf(readMailDate(text)?.instant ?? null);
}

/** Returns a value without its type: the host of `dns; mx.example`, the address of `rfc822;a@b.example`, decoded (RFC 6533 §3). */
export function untyped(value: string | null): string | null {
  const [, type = "", rest = ""] = /^([\w-]{1,40})\s*;(.*)$/s.exec(value ?? "") ?? [];
  if (type === "") return value;
  const text = type.toLowerCase() === "utf-8" ? withoutEscapes(rest) : rest;
  return textOf(text)?.replace(/^<([^<>]*)>$/, "$1") ?? null;
}

function withoutEscapes(text: string): string {
  return text.replaceAll(/\\x\{([0-9a-f]{2,6})\}/gi, (escape, digits: string) => {
    const code = Number.parseInt(digits, 16);
    return code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff) ? String.fromCodePoint(code) : escape;
  });
}

// Values of reports, bounded.

const valueLengthMax = 1000;
const largestCount = Number.MAX_SAFE_INTEGER;

/** Returns a text, trimmed and cut to 1,000 characters; null for an empty one and for values of other types. */
export function textOf(value: unknown): string | null {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return null;
  return text.trim().slice(0, valueLengthMax) || null;
}

/** Returns a result such as `pass` in lower case. */
export function resultOf(value: unknown): string | null {
  return textOf(value)?.toLowerCase() ?? null;
}

/** Returns a positive whole number; 0 for any other value. */
export function countOf(value: unknown): number {
  const number = typeof value === "string" && /^\s*\d{1,16}\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0 ? number : 0;
}

/** Returns the sum of two counts, at most the largest safe integer. */
export function plus(one: number, other: number): number {
  return Math.min(largestCount, one + other);
}

/** Returns an instant in milliseconds since the Unix epoch as an ISO 8601 date; null for one beyond the years 1900 to 9999. */
export function isoOf(instant: number | null): string | null {
  if (instant === null || !(instant >= Date.UTC(1900, 0) && instant < Date.UTC(10_000, 0))) return null;
  return new Date(instant).toISOString();
}
