/**
 * Text as PostgreSQL's `text` can hold it: everything but NUL. Whatever anyone may choose passes through here, so that no
 * request makes a statement fail: NUL becomes `\0`, and so that both can be told apart, `\` becomes `\\`.
 */
export function toText(text: string): string {
  return /[\\\0]/.test(text) ? text.replaceAll("\\", "\\\\").replaceAll("\0", "\\0") : text;
}

/** The text that {@link toText} was given. */
export function fromText(column: string): string {
  return column.includes("\\") ? column.replaceAll(/\\([\\0])/g, (_, kind) => (kind === "0" ? "\0" : "\\")) : column;
}

/** As {@link toText}; null stays null. */
export function toNullableText(text: string | null): string | null {
  return text === null ? null : toText(text);
}

/** As {@link fromText}; null stays null. */
export function fromNullableText(column: string | null): string | null {
  return column === null ? null : fromText(column);
}

/** A pattern of LIKE for texts that contain this one, whatever characters it holds. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
