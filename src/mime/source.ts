import type { Limits } from "../core/limits.ts";
import type { Defect } from "./defect.ts";

/** The bounds of parsing one mail. */
export type MimeLimits = Pick<Limits, "headerBytesMax" | "headerCountMax" | "partCountMax" | "partDepthMax"> & {
  /** Bytes of one structured field that are interpreted; the constant of that name unless given. */
  readonly structuredFieldBytesMax?: number;
};

/** What all steps of one parse share. */
export interface Source {
  readonly raw: Buffer;
  /** Last byte of every line end: LF, or CR in mail that has CR alone. */
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

/** Views `raw` (never copied, never changed) and finds out how its lines end. */
export function openSource(raw: Uint8Array, limits: MimeLimits): Source {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const defects = new Set<Defect>();
  const firstLf = bytes.indexOf(lf);
  // SMTP ends even a mail of bare CRs with CRLF, so one LF at the very end proves nothing.
  const hasLf = firstLf !== -1 && firstLf < bytes.length - 1;
  const firstCr = hasLf ? -1 : bytes.indexOf(cr);
  const isBareCr = firstCr !== -1 && firstCr < bytes.length - 2;
  if (isBareCr) defects.add("bare_cr_line_ends");
  if (hasLf && bytes[firstLf - 1] !== cr) defects.add("bare_lf_line_ends");
  return { raw: bytes, eol: isBareCr ? cr : lf, limits, defects };
}

/** Offset behind the line that `position` is in, its line end included; the length of the mail for the last one. */
export function nextLine(source: Source, position: number): number {
  const end = source.raw.indexOf(source.eol, position);
  return end === -1 ? source.raw.length : end + 1;
}

/** Whether the line at `position` has no characters before its line end. */
export function isEmptyLine(source: Source, position: number): boolean {
  const first = source.raw[position];
  return first === source.eol || (first === cr && source.raw[position + 1] === source.eol);
}

/** Offset of the line end that stands directly before `lineStart`, so that it is not counted as content. */
export function beforeLineEnd(source: Source, lineStart: number): number {
  const { raw } = source;
  if (lineStart === 0) return 0;
  return raw[lineStart - 1] === lf && raw[lineStart - 2] === cr ? lineStart - 2 : lineStart - 1;
}
