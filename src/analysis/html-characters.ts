import { decodeHTML, decodeHTMLAttribute } from "entities";

/** Characters that delimit the parts of HTML (HTML Standard §13.2.5), as UTF-16 code units. */

/** Code unit of `!`. */
export const exclamationMark = 0x21;
/** Code unit of `"`. */
export const doubleQuote = 0x22;
/** Code unit of `'`. */
export const singleQuote = 0x27;
/** Code unit of `/`. */
export const slash = 0x2f;
/** Code unit of `<`. */
export const lessThan = 0x3c;
/** Code unit of `=`. */
export const equalsSign = 0x3d;
/** Code unit of `>`. */
export const greaterThan = 0x3e;
/** Code unit of `?`. */
export const questionMark = 0x3f;

/** Returns true for ASCII letters. */
export function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Returns true for the white space that separates attributes. */
export function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
}

/** Returns true for the characters that end the name of a tag. */
export function endsName(code: number): boolean {
  // Letters, which are most of a name, take one comparison.
  return code <= greaterThan && (code === greaterThan || code === slash || isSpace(code));
}

/** Place of a reference: in attributes, legacy names without a semicolon are not decoded before `=` and letters. */
type ReferencePlace = "text" | "attribute";

/** Decodes all character references (HTML Standard §13.2.5.72 and following); linear, never throws. */
export function decodeReferences(text: string, place: ReferencePlace): string {
  return place === "text" ? decodeHTML(text) : decodeHTMLAttribute(text);
}
