/** First character of encoded texts. */
const mark = "\u0001";

/**
 * Encodes text for the type `text`, which cannot contain NUL. Text with NUL, or with the mark in front, gets the mark, `\0` for
 * NUL and `\\` for a backslash; all other text, JSON among it, stays. Every statement of the store encodes its texts, so that
 * no request makes one fail.
 */
export function toText(text: string): string {
  if (!text.includes("\0") && !text.startsWith(mark)) return text;
  return `${mark}${text.replaceAll("\\", "\\\\").replaceAll("\0", "\\0")}`;
}

/** Decodes the result of {@link toText}. */
export function fromText(column: string): string {
  if (!column.startsWith(mark)) return column;
  return column.slice(1).replaceAll(/\\([\\0])/g, (_, kind) => (kind === "0" ? "\0" : "\\"));
}
