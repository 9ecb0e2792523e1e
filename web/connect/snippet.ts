/** Content of a file, to be copied. */
export interface Snippet {
  /** Framework that the snippet is for. */
  readonly name: string;
  readonly file: string;
  readonly code: string;
}

/** Returns a double-quoted string literal for JavaScript, TypeScript and Python. */
export function quote(text: string): string {
  return JSON.stringify(text);
}
