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

/** Elements whose content is not markup and ends at their own end tag only (HTML Standard §13.2.5.2 and following). */
export const rawTextElements: ReadonlySet<string> = new Set([
  "script",
  "style",
  "title",
  "textarea",
  "xmp",
  "iframe",
  "noembed",
  "noframes",
]);

/** Name of a tag. */
interface TagName {
  /** In lower case. */
  readonly name: string;
  /** UTF-16 code units of the name as written. */
  readonly length: number;
  /** Matches the end tag of a raw text element; undefined for other elements. */
  readonly rawTextEnd: RegExp | undefined;
}

const rawTextEnds: ReadonlyMap<string, RegExp> = new Map(
  Array.from(rawTextElements, (name) => [name, new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, "gi")]),
);

const hashMax = 1023;
/**
 * Names that have occurred, by a hash of their characters: comparing with one is cheaper than a new string, which would be
 * looked up by its content. Longer names are rare, and would keep the HTML that they are part of.
 */
const known: TagName[] = Array.from({ length: hashMax + 1 }, () => ({ name: "", length: 0, rawTextEnd: undefined }));
const knownLengthMax = 12;

/** Returns the name that begins at `start`. */
export function readTagName(html: string, start: number): TagName {
  let hash = 0;
  let end = start;
  for (; end < html.length; end++) {
    const code = html.charCodeAt(end);
    if (endsName(code)) break;
    hash = (hash * 37 + code) & hashMax;
  }
  const candidate = known[hash];
  if (candidate?.length === end - start && isAt(html, start, candidate.name)) return candidate;
  const added = describe(html.slice(start, end));
  if (added.length <= knownLengthMax) known[hash] = added;
  return added;
}

function describe(written: string): TagName {
  const name = written.toLowerCase();
  return { name, length: written.length, rawTextEnd: rawTextEnds.get(name) };
}

function isAt(html: string, start: number, name: string): boolean {
  for (let at = 0; at < name.length; at++) if (html.charCodeAt(start + at) !== name.charCodeAt(at)) return false;
  return true;
}
