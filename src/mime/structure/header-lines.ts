import { readHeaderSection } from "../header-section.ts";
import { nextLine, openSource } from "../source.ts";
import type { MimeLimits } from "../source.ts";
import type { StructureRange } from "./structure.ts";

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
