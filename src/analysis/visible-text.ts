import { visibleTextLengthMax } from "./bounds.ts";
import { decodeReferences } from "./character-references.ts";
import { dropInvisible, invisibleClass } from "./invisible-characters.ts";

/** Separators between two chunks of visible text; the highest of several is used. */
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

/** Builder of the visible text; separators are written only between chunks, one at a time. */
export class VisibleText {
  private readonly chunks: string[] = [];
  private length = 0;
  private pending: Separator = separators.none;

  /** Whether the limit is reached and no more text is added. */
  get full(): boolean {
    return this.length >= visibleTextLengthMax;
  }

  /** Position in the text, for {@link since}. */
  get mark(): number {
    return this.chunks.length;
  }

  separate(separator: Separator): void {
    if (separator > this.pending) this.pending = separator;
  }

  /** Adds character data as written in the HTML; in preformatted text, line ends are kept. */
  append(source: string, preformatted: boolean): void {
    if (this.full) return;
    if (source === "\n") {
      this.separate(preformatted ? separators.line : separators.blank);
      return;
    }
    if (!unplain.test(source)) {
      this.take(source);
      return;
    }
    const text = dropInvisible(decodeReferences(source, "text"));
    if (!preformatted || !text.includes("\n")) {
      this.appendLine(text);
      return;
    }
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) this.separate(separators.line);
      this.appendLine(line);
    }
  }

  /** Returns the text since `mark` on one line, white space collapsed; null if nothing was visible. */
  since(mark: number): string | null {
    const text = collapsed(this.chunks.slice(mark).join("")).trim();
    return text === "" ? null : text;
  }

  toString(): string {
    return this.chunks.join("");
  }

  private appendLine(line: string): void {
    this.take(collapsed(line));
  }

  /** Adds text in which no white space is left to collapse. */
  private take(text: string): void {
    const startsBlank = text.charCodeAt(0) === space;
    if (startsBlank) this.separate(separators.blank);
    if (text.length === 0 || (startsBlank && text.length === 1)) return;
    const endsBlank = text.charCodeAt(text.length - 1) === space;
    const visible = startsBlank || endsBlank ? text.slice(startsBlank ? 1 : 0, endsBlank ? -1 : undefined) : text;
    if (this.length > 0) this.chunks.push(written[this.pending] ?? "");
    const added = visible.slice(0, visibleTextLengthMax - this.length);
    this.chunks.push(added);
    this.length += added.length + 1;
    this.pending = endsBlank ? separators.blank : separators.none;
  }
}

function collapsed(text: string): string {
  return uncollapsed.test(text) ? text.replace(whiteSpace, " ") : text;
}
