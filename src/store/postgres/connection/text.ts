/**
 * Encodes text for the type `text`, which cannot contain NUL: NUL becomes `\0`, and `\` becomes `\\`. All text from
 * outside passes through it, so that no request makes a statement fail.
 */
export function toText(text: string): string {
  return /[\\\0]/.test(text) ? text.replaceAll("\\", "\\\\").replaceAll("\0", "\\0") : text;
}

/** Decodes the result of {@link toText}. */
export function fromText(column: string): string {
  return column.includes("\\") ? column.replaceAll(/\\([\\0])/g, (_, kind) => (kind === "0" ? "\0" : "\\")) : column;
}
