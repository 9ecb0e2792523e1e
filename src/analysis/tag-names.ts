import { endsName } from "./html-characters.ts";

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
export interface TagName {
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
