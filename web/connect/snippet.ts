/** A file's worth of text to be copied. */
export interface Snippet {
  /** The stack that it is for. */
  readonly name: string;
  readonly file: string;
  readonly code: string;
}

/** A text as a literal of JavaScript, TypeScript, Python (and, for plain text, most others), in double quotes. */
export function quote(text: string): string {
  return JSON.stringify(text);
}
