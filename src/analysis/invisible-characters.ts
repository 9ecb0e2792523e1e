// Soft hyphen, combining grapheme joiner, fillers, zero-width space, directional marks, word joiner, BOM and similar:
// preheaders are padded with hundreds of them.
const ignorable = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb`;
// Zero-width joiners shape Persian, Indic and emoji; they count as text only between two characters outside of ASCII.
const joiner = String.raw`\u200c\u200d`;
const noNeighbour = String.raw`\0-\u00a0\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\u034f\u00ad`;
const invisible = new RegExp(`[${ignorable}]|(?<![^${noNeighbour}])[${joiner}]|[${joiner}](?![^${noNeighbour}])`, "g");
/** Content of a character class with every character that {@link dropInvisible} may remove. */
export const invisibleClass: string = ignorable + joiner;
const maybeInvisible = new RegExp(`[${invisibleClass}]`);

/** Returns `text` without invisible characters; joiners that shape a script or an emoji are kept. */
export function dropInvisible(text: string): string {
  return maybeInvisible.test(text) ? text.replace(invisible, "") : text;
}
