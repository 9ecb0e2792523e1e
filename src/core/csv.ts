/** Tables as CSV (RFC 4180). */

/** Value of a cell; null is empty. */
export type CsvCell = string | number | boolean | null;

/** Media type of CSV with a header line. */
export const csvType = "text/csv; charset=utf-8; header=present";

/**
 * Returns a header line and a line for each row, with CRLF. A text that a spreadsheet would evaluate as a formula gets a leading
 * apostrophe, also after white space and control characters, which spreadsheets skip.
 */
export function encodeCsv(header: readonly string[], rows: Iterable<readonly CsvCell[]>): string {
  const lines = [header, ...rows].map((cells) => cells.map(encodeCell).join(","));
  return lines.map((line) => `${line}\r\n`).join("");
}

function encodeCell(value: CsvCell): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = isFormula.test(value) ? `'${value}` : value;
  return /["\r\n,;\t']|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** First characters of formulas, also in their full-width forms, which some spreadsheets evaluate too. */
const isFormula = /^[\s\p{C}]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
