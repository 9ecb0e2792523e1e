import type { Limits } from "../core/limits.ts";
import type { Defect } from "./part.ts";

/** Limits of parsing one mail. */
export type MimeLimits = Pick<Limits, "headerBytesMax" | "headerCountMax" | "partCountMax" | "partDepthMax"> & {
  /** Bytes of one structured field that are parsed; by default the constant of that name. */
  readonly structuredFieldBytesMax?: number;
};

/** Input and state shared by all steps of parsing a mail. */
export interface Source {
  readonly raw: Buffer;
  /** Last byte of every line end: LF, or CR in mail that has only CR. */
  readonly eol: typeof lf | typeof cr;
  readonly limits: MimeLimits;
  readonly defects: Set<Defect>;
}

/** Line feed. */
export const lf = 10;
/** Carriage return. */
export const cr = 13;
/** Space. */
export const space = 32;
/** Horizontal tab. */
export const tab = 9;
/** Hyphen-minus. */
export const dash = 45;

/** Creates a view of `raw` (without copying or modifying it) and detects its line ends. */
export function openSource(raw: Uint8Array, limits: MimeLimits): Source {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const defects = new Set<Defect>();
  const firstLf = bytes.indexOf(lf);
  // SMTP ends even a mail with bare CRs with CRLF, so one LF at the end is ignored.
  const hasLf = firstLf !== -1 && firstLf < bytes.length - 1;
  const firstCr = hasLf ? -1 : bytes.indexOf(cr);
  const isBareCr = firstCr !== -1 && firstCr < bytes.length - 2;
  if (isBareCr) defects.add("bare_cr_line_ends");
  if (hasLf && bytes[firstLf - 1] !== cr) defects.add("bare_lf_line_ends");
  return { raw: bytes, eol: isBareCr ? cr : lf, limits, defects };
}

/**
 * Returns the offset after the line that contains `position` and its line end; the length of the mail for the last
 * line.
 */
export function nextLine(source: Source, position: number): number {
  const end = source.raw.indexOf(source.eol, position);
  return end === -1 ? source.raw.length : end + 1;
}

/** Whether the line at `position` has no characters before its line end. */
export function isEmptyLine(source: Source, position: number): boolean {
  const first = source.raw[position];
  return first === source.eol || (first === cr && source.raw[position + 1] === source.eol);
}

/** Returns the offset of the line end directly before `lineStart`. */
export function beforeLineEnd(source: Source, lineStart: number): number {
  const { raw } = source;
  if (lineStart === 0) return 0;
  return raw[lineStart - 1] === lf && raw[lineStart - 2] === cr ? lineStart - 2 : lineStart - 1;
}
