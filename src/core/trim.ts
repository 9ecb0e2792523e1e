/**
 * Returns a text without the characters of a set at its ends. Takes linear time: an expression such as `/-+$/` starts again at
 * each character of a long run that is not at the end.
 */
export function trim(text: string, characters: string): string {
  const rest = trimEnd(text, characters);
  let start = 0;
  while (start < rest.length && characters.includes(rest.charAt(start))) start += 1;
  return rest.slice(start);
}

/** Returns a text without the characters of a set at its end, in linear time. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
