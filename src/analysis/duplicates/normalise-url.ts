/** Masking of tokens in URLs. */

/** Character that stands for a masked value (U+FFFC OBJECT REPLACEMENT CHARACTER): neither a letter nor a digit. */
export const mask = "\uFFFC";

const separators = /([/?&=#;:,])/;
const wordLengthMax = 20;

/**
 * Replaces each segment of path, query and fragment that is not made of words by {@link mask}: ids, tokens, numbers, times,
 * and anything encoded. Scheme and host are put in lower case. Idempotent, linear in the URL.
 */
export function normaliseUrl(url: string): string {
  const [scheme = "", authority = "", rest = ""] = divide(url);
  const shown = rest.split(separators).map((piece, index) => (index % 2 === 1 || isWordLike(piece) ? piece : mask));
  return `${scheme.toLowerCase()}${authority.toLowerCase()}${shown.join("")}`;
}

/** Returns the scheme with its slashes, the authority, and everything after. */
function divide(url: string): readonly string[] {
  const [, scheme = ""] = /^([a-z][a-z0-9+.-]{0,19}:(?:\/\/)?)/i.exec(url) ?? [];
  if (!scheme.endsWith("//")) return [scheme, "", url.slice(scheme.length)];
  const start = scheme.length;
  const end = /[/?#]/.exec(url.slice(start))?.index ?? url.length - start;
  return [scheme, url.slice(start, start + end), url.slice(start + end)];
}

/**
 * Whether a segment consists of words as people write them, separated by punctuation: `blue-lamp`, `index.html`. Characters
 * of private use are left aside: they stand for values that have a name.
 */
function isWordLike(segment: string): boolean {
  return segment
    .replaceAll(/\p{Co}/gu, "")
    .split(/[-_.~!*'()]/)
    .every((word) => word.length <= wordLengthMax && /^(?:\p{Lu}?\p{Ll}*|\p{Lu}*)$/u.test(word));
}
