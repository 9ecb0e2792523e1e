import { visibleTextLengthMax } from "./bounds.ts";
import { decodeReferences } from "./html-characters.ts";

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

/** Separators between two pieces of visible text; the highest of several is used. */
export const separators = { none: 0, blank: 1, cell: 2, line: 3 } as const;

/** One of {@link separators}. */
export type Separator = (typeof separators)[keyof typeof separators];

const written: readonly string[] = ["", " ", "\t", "\n"];
const space = 0x20;
const whiteSpace = /[\s\u2800]+/g;
/** Spelled out, because engines test a class of plain ranges much faster than a negated one. */
const blanks = String.raw`\t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\u2800`;
const uncollapsed = new RegExp(`[${blanks}]| {2}`);
/** Matches text that differs from its visible form; one test skips three replacements for most text. */
const unplain = new RegExp(`[&${blanks}${invisibleClass}]| {2}`);

/** Builder of the visible text of `html`; separators are written only between texts, one at a time. */
export class VisibleText {
  private readonly html: string;
  private text = "";
  private length = 0;
  private pending: Separator = separators.none;

  constructor(html: string) {
    this.html = html;
  }

  /** Length of the text, for {@link lineBetween}. */
  get end(): number {
    return this.text.length;
  }

  separate(separator: Separator): void {
    if (separator > this.pending) this.pending = separator;
  }

  /** Adds the character data from `start` to before `end`; in preformatted text, line ends are kept. */
  append(start: number, end: number, preformatted: boolean): void {
    const { html } = this;
    if (this.length >= visibleTextLengthMax) return;
    if (preformatted) {
      this.appendPreformatted(html.slice(start, end));
      return;
    }
    const from = skipBlanks(html, start, end);
    if (from > start) this.separate(separators.blank);
    if (from === end) return;
    const to = skipBlanksBack(html, from, end);
    const source = html.slice(from, to);
    if (unplain.test(source)) this.take(collapsed(visible(source)));
    else this.add(source);
    if (to < end) this.separate(separators.blank);
  }

  /**
   * Returns the text from `start` to before `end` on one line, white space collapsed; null if nothing was visible. To be called
   * when the text is complete: each call after an addition copies the text.
   */
  lineBetween(start: number, end: number): string | null {
    const text = collapsed(this.text.slice(start, end)).trim();
    return text === "" ? null : text;
  }

  toString(): string {
    return this.text;
  }

  private appendPreformatted(source: string): void {
    for (const [index, line] of visible(source).split("\n").entries()) {
      if (index > 0) this.separate(separators.line);
      this.take(collapsed(line));
    }
  }

  /** Adds text in which no white space is left to collapse. */
  private take(text: string): void {
    const visible = text.trim();
    if (text.startsWith(" ")) this.separate(separators.blank);
    if (visible === "") return;
    this.add(visible);
    if (text.endsWith(" ")) this.separate(separators.blank);
  }

  /** Adds text without blanks at its ends. */
  private add(text: string): void {
    const room = visibleTextLengthMax - this.length;
    if (this.length > 0) this.text += written[this.pending] ?? "";
    const added = text.length > room ? text.slice(0, room) : text;
    this.text += added;
    this.length += added.length + 1;
    this.pending = separators.none;
  }
}

function visible(source: string): string {
  return dropInvisible(decodeReferences(source, "text"));
}

/** Returns the offset of the first character from `start` on that is not ASCII white space. */
function skipBlanks(html: string, start: number, end: number): number {
  let position = start;
  while (position < end && isBlank(html.charCodeAt(position))) position++;
  return position;
}

function skipBlanksBack(html: string, start: number, end: number): number {
  let position = end;
  while (position > start && isBlank(html.charCodeAt(position - 1))) position--;
  return position;
}

function isBlank(code: number): boolean {
  return code === space || (code >= 0x09 && code <= 0x0d);
}

function collapsed(text: string): string {
  return uncollapsed.test(text) ? text.replace(whiteSpace, " ") : text;
}
