import { readHeaderSection } from "../header-section.ts";
import { nextLine, openSource, type MimeLimits, isEmptyLine } from "../source.ts";
import type { StructureRange, MessageStructure, StructurePart } from "./structure.ts";

/** Selection of header fields by name, in any case (RFC 9051 §6.4.5.1, HEADER.FIELDS and HEADER.FIELDS.NOT). */
export interface HeaderSelection {
  readonly names: readonly string[];
  /** Whether the fields with other names are selected. */
  readonly isNegated: boolean;
}

/**
 * Returns the selected fields of a header section as written, and the empty line after them. `header` begins with the whole
 * section and the empty line that ends it. Lines that are not fields are omitted.
 */
export function selectHeaderFields(header: Uint8Array, selection: HeaderSelection, limits: MimeLimits): Buffer {
  const source = openSource(header, limits);
  const names = new Set(selection.names.map((name) => name.toLowerCase()));
  const { fields, end, bodyStart } = readHeaderSection(source, 0, () => false);
  const ranges: StructureRange[] = fields
    .filter(({ name }) => names.has(name.toLowerCase()) !== selection.isNegated)
    .map(({ start, valueEnd }) => ({ start, end: nextLine(source, valueEnd) }));
  const emptyLine = source.raw.subarray(end, bodyStart);
  return Buffer.concat([
    ...ranges.map((range) => source.raw.subarray(range.start, range.end)),
    emptyLine.length > 0 ? emptyLine : Buffer.from("\r\n"),
  ]);
}

/**
 * Returns the size of a mail's header section in bytes, with the empty line that ends it; null when the first bytes do
 * not contain that line.
 */
export function headBytes(first: Uint8Array, limits: MimeLimits): number | null {
  const source = openSource(first, limits);
  const { end, bodyStart } = readHeaderSection(source, 0, () => false);
  return bodyStart > end && isEmptyLine(source, end) ? bodyStart : null;
}

/**
 * Finds a part by its part specifier (RFC 9051 §6.4.5.1), numbers from 1. A mail that is not a multipart has part 1, its body;
 * the numbers after those of a mail in a part count in that mail. Undefined when there is no such part.
 */
export function findPart(message: MessageStructure, numbers: readonly number[]): StructurePart | undefined {
  let within: MessageStructure | StructurePart | undefined = message;
  for (const number of numbers) within = within === undefined ? undefined : childOf(within, number);
  return within === undefined || "root" in within ? undefined : within;
}

function childOf(within: MessageStructure | StructurePart, number: number): StructurePart | undefined {
  if ("root" in within) {
    if (within.root.children.length > 0) return within.root.children[number - 1];
    return number === 1 ? within.root : undefined;
  }
  return within.message === null ? within.children[number - 1] : childOf(within.message, number);
}

/** Section of a mail or of a part (RFC 9051 §6.4.5.1). */
export interface MailSection {
  /** Part specifier; empty for the mail itself. */
  readonly part: readonly number[];
  /** `MIME` is the header section of the part; null is the body of the part, or the whole mail. */
  readonly text: "HEADER" | "TEXT" | "MIME" | null;
}

/** Returns the bytes of a section; undefined when the mail has no such section. */
export function findSection(message: MessageStructure, { part, text }: MailSection): StructureRange | undefined {
  if (part.length === 0) return text === "MIME" ? undefined : sectionOfMessage(message, text);
  const found = findPart(message, part);
  if (found === undefined || text === null) return found?.body;
  if (text === "MIME") return found.header;
  return found.message === null ? undefined : sectionOfMessage(found.message, text);
}

function sectionOfMessage({ root }: MessageStructure, text: "HEADER" | "TEXT" | null): StructureRange {
  if (text === null) return { start: root.header.start, end: root.body.end };
  return text === "HEADER" ? root.header : root.body;
}
