import { structuredFieldBytesMax } from "../core/limits.ts";
import { decodeUnlabelled } from "./charset.ts";
import { parseStructuredValue, writtenBoundary } from "./parameters.ts";
import { cr, dash, isEmptyLine, nextLine, space, tab } from "./source.ts";
import type { Source } from "./source.ts";

/** Position of a header field in raw; the value's bytes are still folded and encoded. */
export interface RawField {
  /** As written, without blanks before the colon (RFC 5322 §4.5). */
  readonly name: string;
  /** Offset of the name. */
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** Header section: its fields in order, and the start of the body. */
export interface HeaderSection {
  readonly fields: readonly RawField[];
  /** Offset after the last line of the section. */
  readonly end: number;
  readonly bodyStart: number;
}

/** Predicate for a line offset: whether the line ends the part, so that a header section without a body stops there. */
export type EndsPart = (lineStart: number) => boolean;

/** Lines that may be skipped at once: some spools put several in front, some senders fold fields without a blank. */
const strayLineCountMax = 10;
/** Fields that mark the end of several stray lines; a text in which `Note: …` follows is a body. */
const commonName =
  /^(?:received|return-path|delivered-to|from|sender|reply-to|to|cc|bcc|subject|date|message-id|in-reply-to|references|mime-version|content-[a-z-]+|x-[\w-]+|(?:resent|list|arc|authentication|dkim|domainkey|received|auto|thread|feedback)-[\w-]+|user-agent|precedence|importance|priority)$/i;
const byteOrderMark = Buffer.from("\ufeff");
const colon = 58;
/** Bytes beyond printable ASCII: 8-bit characters, and the escape of 7-bit charsets. */
const encodedBytes = /[^\t\n\r -~]/;

interface Reading {
  readonly source: Source;
  readonly start: number;
  readonly fields: { name: string; start: number; valueStart: number; valueEnd: number }[];
  readonly endsPart: EndsPart;
  /** Boundary that the section itself declares, once a line begins like one; "" without one. */
  ownBoundary: string | null;
  /** Fields that were searched for it. */
  searchedCount: number;
}

/**
 * Reads the header section at `start` in one pass. It ends at the first empty line, at a boundary line, also of the boundary
 * that the section itself declares, or at a line that is not a field and is not followed by one. Beyond the limits the
 * section is skipped and a defect is added.
 */
export function readHeaderSection(source: Source, start: number, endsPart: EndsPart): HeaderSection {
  const { raw, limits, defects } = source;
  let position = afterByteOrderMark(source, start);
  const reading: Reading = { source, start: position, fields: [], endsPart, ownBoundary: null, searchedCount: 0 };
  while (position < raw.length) {
    if (isEmptyLine(source, position)) return sectionUpTo(reading, position, nextLine(source, position));
    if (isBoundary(reading, position)) return sectionUpTo(reading, position, position);
    if (isOwnBoundary(reading, position)) {
      defects.add("missing_header_end");
      return sectionUpTo(reading, position, position);
    }
    const next = nextLine(source, position);
    if (next - start > limits.headerBytesMax) {
      defects.add("header_too_large");
      if (isBlank(raw[position])) reading.fields.pop();
      return skipSection(reading, next);
    }
    if (!takeLine(reading, position, next)) {
      defects.add("missing_header_end");
      return sectionUpTo(reading, position, position);
    }
    if (reading.fields.length > limits.headerCountMax) {
      defects.add("too_many_header_fields");
      reading.fields.pop();
      return skipSection(reading, next);
    }
    position = next;
  }
  return sectionUpTo(reading, position, position);
}

/**
 * Returns the value of a field: unfolded (RFC 5322 §2.2.3), trimmed, 8-bit characters decoded, encoded words not
 * decoded.
 */
export function fieldText(source: Source, field: RawField): string {
  let text = source.raw.toString("latin1", field.valueStart, field.valueEnd);
  if (text.includes("\n") || text.includes("\r")) text = text.replaceAll(/(?:\r+\n?|\n)[\t ]?/g, " ");
  if (encodedBytes.test(text)) text = decodeUnlabelled(Buffer.from(text, "latin1"));
  return text.trim();
}

/**
 * Returns the {@link fieldText} of a structured field (addresses, dates, ids, parameters), cut at
 * `structuredFieldBytesMax` with a defect. `whole` is the text of the whole field, if it is known.
 */
export function structuredText(source: Source, field: RawField, whole?: string): string {
  const bytesMax = source.limits.structuredFieldBytesMax ?? structuredFieldBytesMax;
  if (field.valueEnd - field.valueStart <= bytesMax) return whole ?? fieldText(source, field);
  source.defects.add("structured_field_too_long");
  return fieldText(source, { ...field, valueEnd: field.valueStart + bytesMax });
}

/** Adds one line to the section: a field, a continuation, or an invalid line. Returns false if the body starts here. */
function takeLine(reading: Reading, lineStart: number, next: number): boolean {
  const { source, fields } = reading;
  const last = fields.at(-1);
  if (isBlank(source.raw[lineStart]) && last !== undefined) {
    last.valueEnd = lineEnd(source, lineStart, next);
    return true;
  }
  const start = indentedFieldStart(reading, lineStart, next) ?? lineStart;
  const nameEnd = fieldNameEnd(source.raw, start, next);
  if (nameEnd !== -1) {
    const name = source.raw.toString("latin1", start, nameEnd).trimEnd();
    fields.push({
      name,
      start,
      valueStart: nameEnd + 1,
      valueEnd: Math.max(nameEnd + 1, lineEnd(source, start, next)),
    });
    return true;
  }
  if (start === reading.start && isMboxLine(source.raw, start)) {
    source.defects.add("mbox_from_line");
    return true;
  }
  if (!fieldFollows(reading, next)) return false;
  source.defects.add("header_line_without_colon");
  return true;
}

/**
 * Returns where a common field begins after blanks in the first line of a mail, which continues nothing; null for other lines,
 * and in a part, whose header section may be missing.
 */
function indentedFieldStart({ source, start: first }: Reading, lineStart: number, next: number): number | null {
  let start = lineStart;
  while (start < next && isBlank(source.raw[start])) start += 1;
  if (lineStart !== first || first > byteOrderMark.length || start === lineStart) return null;
  if (!isCommonName(source.raw, start, certainNameEnd(source, start, next))) return null;
  source.defects.add("header_line_without_colon");
  return start;
}

/** Finds the end of a section whose fields are no longer parsed. */
function skipSection(reading: Reading, from: number): HeaderSection {
  const { source } = reading;
  let position = from;
  while (position < source.raw.length) {
    if (isEmptyLine(source, position)) return sectionUpTo(reading, position, nextLine(source, position));
    if (isBoundary(reading, position) || isOwnBoundary(reading, position)) break;
    position = nextLine(source, position);
  }
  return sectionUpTo(reading, position, position);
}

function sectionUpTo(reading: Reading, end: number, bodyStart: number): HeaderSection {
  return { fields: reading.fields, end, bodyStart };
}

function isBoundary(reading: Reading, position: number): boolean {
  const { raw } = reading.source;
  return raw[position] === dash && raw[position + 1] === dash && reading.endsPart(position);
}

/** Returns whether a line is the first boundary of the multipart whose header section is being read. */
function isOwnBoundary(reading: Reading, position: number): boolean {
  const { raw } = reading.source;
  if (raw[position] !== dash || raw[position + 1] !== dash) return false;
  reading.ownBoundary ??= declaredBoundary(reading);
  const length = reading.ownBoundary?.length ?? 0;
  if (length === 0 || raw.toString("latin1", position + 2, position + 2 + length) !== reading.ownBoundary) return false;
  const after = raw[position + 2 + length];
  return after === undefined || isBlank(after) || after === cr || after === reading.source.eol;
}

/** Returns the boundary that the fields so far declare; null as long as there is no Content-Type. Looks at each field once. */
function declaredBoundary(reading: Reading): string | null {
  const { source, fields } = reading;
  while (reading.searchedCount < fields.length) {
    const field = fields[reading.searchedCount];
    reading.searchedCount += 1;
    if (field?.name.length === 12 && field.name.toLowerCase() === "content-type") {
      return writtenBoundary(parseStructuredValue(structuredText(source, field)).parameters);
    }
  }
  return null;
}

function afterByteOrderMark(source: Source, start: number): number {
  const { raw, defects } = source;
  if (raw[start] !== byteOrderMark[0]) return start;
  const end = start + byteOrderMark.length;
  if (!byteOrderMark.equals(raw.subarray(start, end))) return start;
  defects.add("byte_order_mark");
  return end;
}

/**
 * Returns the offset of the colon after a field name (RFC 5322 §2.2, blanks before the colon as in §4.5); -1 for other
 * lines.
 */
function fieldNameEnd(raw: Buffer, start: number, end: number): number {
  let position = start;
  while (position < end && isNameByte(raw[position])) position += 1;
  if (position === start) return -1;
  while (position < end && isBlank(raw[position])) position += 1;
  return raw[position] === colon && position < end ? position : -1;
}

/**
 * Returns whether the next line is certainly a field, or one of those after it is a common one, or any before the first field;
 * `https://…` in a body may look like a field.
 */
function fieldFollows(reading: Reading, from: number): boolean {
  const { source, fields } = reading;
  const { raw } = source;
  let position = from;
  for (let count = 0; count < strayLineCountMax && position < raw.length; count += 1) {
    if (isEmptyLine(source, position) || isBoundary(reading, position) || isOwnBoundary(reading, position))
      return false;
    const next = nextLine(source, position);
    const nameEnd = certainNameEnd(source, position, next);
    const isEnough = count === 0 || fields.length === 0 || isCommonName(raw, position, nameEnd);
    if (nameEnd !== -1 && isEnough) return true;
    position = next;
  }
  return false;
}

/** Returns the offset of the colon after a field name that a blank or a line end follows; -1 for other lines. */
function certainNameEnd({ raw, eol }: Source, start: number, end: number): number {
  const nameEnd = fieldNameEnd(raw, start, end);
  const after = raw[nameEnd + 1];
  return isBlank(after) || after === cr || after === eol ? nameEnd : -1;
}

function isCommonName(raw: Buffer, start: number, end: number): boolean {
  return end > start && end - start < 80 && commonName.test(raw.toString("latin1", start, end).trimEnd());
}

function isMboxLine(raw: Buffer, start: number): boolean {
  const line = raw.toString("latin1", start, start + 6);
  return line.startsWith("From ") || line === ">From ";
}

function lineEnd(source: Source, start: number, next: number): number {
  let end = next;
  while (end > start && (source.raw[end - 1] === source.eol || source.raw[end - 1] === cr)) end -= 1;
  return end;
}

function isNameByte(byte: number | undefined): boolean {
  return byte !== undefined && byte > 32 && byte < 127 && byte !== colon;
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab;
}
