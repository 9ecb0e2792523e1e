/** A part of a long text. */
export interface TextPage {
  readonly text: string;
  /** Offset of the next part in UTF-16 units; null at the end. */
  readonly next: number | null;
}

/** Returns at most `lengthMax` UTF-16 units from an offset, without half of a surrogate pair. */
export function pageOf(text: string, offset: number, lengthMax: number): TextPage {
  const start = isInsidePair(text, offset) ? offset - 1 : offset;
  const cut = Math.min(text.length, start + lengthMax);
  const end = isInsidePair(text, cut) ? cut - 1 : cut;
  return { text: text.slice(start, end), next: end < text.length ? end : null };
}

/** Returns the beginning of a text, with an ellipsis if more follows. */
export function shorten(text: string, lengthMax: number): string {
  const { text: shown, next } = pageOf(text, 0, lengthMax);
  return next === null ? shown : `${shown}…`;
}

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && at < text.length && /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1));
}

/** Returns a number of messages with its noun. */
export function countMessages(count: number): string {
  return count === 1 ? "1 message" : `${String(count)} messages`;
}
