/**
 * Splits HTML into tags and text as the tokeniser of the HTML Standard (§13.2.5) does, without building a tree: one
 * pass, linear, no backtracking. It never throws; an unfinished tag or comment extends to the end of the input.
 */
import { attributeCountMax } from "./bounds.ts";
import {
  doubleQuote,
  endsName,
  equalsSign,
  exclamationMark,
  greaterThan,
  isLetter,
  isSpace,
  lessThan,
  questionMark,
  readTagName,
  singleQuote,
  slash,
} from "./html-characters.ts";

/** Handlers of the scanner's events, called in document order. Offsets are UTF-16 code units of the HTML. */
export interface HtmlEvents {
  /** Character data with its references still encoded; one text may arrive in several chunks. */
  text(start: number, end: number): void;
  /** `tag` is reused for the next tag: read it at once. */
  open(tag: StartTag): void;
  /** `start` is the offset of the tag's `<`, `end` the one after its `>`. */
  close(name: string, start: number, end: number): void;
}

/** Start tag; its attributes are parsed on request. */
export interface StartTag {
  /** In lower case. */
  readonly name: string;
  /** Value with its references still encoded, "" if it has none; undefined if the attribute is absent. */
  attribute(name: string): string | undefined;
  /** Offset of the tag's `<`, and the one after its `>`. */
  readonly start: number;
  readonly end: number;
  /** All attributes as written, in order, at most {@link attributeCountMax}. */
  listAttributes(): readonly WrittenAttribute[];
}

/** Attribute as written in the HTML. */
export interface WrittenAttribute {
  /** In lower case. */
  readonly name: string;
  /** With its references still encoded; "" if it has none. */
  readonly value: string;
}

/**
 * Scans `html` from start to end. The content of script, style, title and similar elements is skipped without an event.
 */
export function scanHtml(html: string, events: HtmlEvents): void {
  const scanner = new Scanner(html, events);
  let position = 0;
  while (position < html.length) position = scanner.step(position);
}

class Scanner implements StartTag {
  name = "";
  start = 0;
  end = 0;
  private readonly html: string;
  private readonly events: HtmlEvents;
  // Four offsets per attribute: name start, name end, value start, value end.
  private readonly offsets: number[] = [];
  private offsetCount = 0;

  constructor(html: string, events: HtmlEvents) {
    this.html = html;
    this.events = events;
  }

  /** Scans one text and the markup after it; returns the offset to continue at. */
  step(from: number): number {
    const { html } = this;
    const open = html.charCodeAt(from) === lessThan ? from : html.indexOf("<", from);
    if (open < 0) {
      this.events.text(from, html.length);
      return html.length;
    }
    if (open > from) this.events.text(from, open);
    const next = html.charCodeAt(open + 1);
    if (isLetter(next)) return this.startTag(open + 1);
    if (next === slash) return this.endTag(open + 2);
    if (next === exclamationMark && html.startsWith("--", open + 2)) return commentEnd(html, open + 4);
    if (next === exclamationMark || next === questionMark) return after(html, ">", open + 2);
    this.events.text(open, open + 1);
    return open + 1;
  }

  attribute(name: string): string | undefined {
    const { html, offsets } = this;
    for (let index = 0; index < this.offsetCount; index += 4) {
      const start = offsets[index] ?? 0;
      const end = offsets[index + 1] ?? 0;
      if (end - start === name.length && isNamed(html, start, name)) {
        return html.slice(offsets[index + 2], offsets[index + 3]);
      }
    }
    return undefined;
  }

  listAttributes(): readonly WrittenAttribute[] {
    const { html, offsets } = this;
    return Array.from({ length: this.offsetCount / 4 }, (_, index) => ({
      name: html.slice(offsets[index * 4], offsets[index * 4 + 1]).toLowerCase(),
      value: html.slice(offsets[index * 4 + 2], offsets[index * 4 + 3]),
    }));
  }

  private startTag(nameStart: number): number {
    const { name, length, rawTextEnd } = readTagName(this.html, nameStart);
    const end = this.attributes(nameStart + length);
    if (end < 0) return this.html.length;
    this.name = name;
    this.start = nameStart - 1;
    this.end = end;
    this.events.open(this);
    return rawTextEnd === undefined ? end : indexOfMatch(this.html, rawTextEnd, end);
  }

  private endTag(nameStart: number): number {
    if (!isLetter(this.html.charCodeAt(nameStart))) return after(this.html, ">", nameStart);
    const { name, length } = readTagName(this.html, nameStart);
    const end = this.attributes(nameStart + length);
    if (end < 0) return this.html.length;
    this.events.close(name, nameStart - 2, end);
    return end;
  }

  /** Records the attributes from `from` on; returns the offset after the tag's `>`, or -1 if the tag is unfinished. */
  private attributes(from: number): number {
    const { html } = this;
    this.offsetCount = 0;
    let position = from;
    while (position >= 0 && position < html.length) {
      const code = html.charCodeAt(position);
      if (code === greaterThan) return position + 1;
      position = code === slash || isSpace(code) ? position + 1 : this.oneAttribute(position);
    }
    return -1;
  }

  private oneAttribute(nameStart: number): number {
    const { html } = this;
    const nameEnd = attributeNameEnd(html, nameStart);
    const equals = skipSpace(html, nameEnd);
    if (html.charCodeAt(equals) !== equalsSign) {
      this.note(nameStart, nameEnd);
      this.note(nameEnd, nameEnd);
      return nameEnd;
    }
    const valueStart = skipSpace(html, equals + 1);
    const quote = html.charCodeAt(valueStart);
    if (quote !== doubleQuote && quote !== singleQuote) {
      const valueEnd = unquotedEnd(html, valueStart);
      this.note(nameStart, nameEnd);
      this.note(valueStart, valueEnd);
      return valueEnd;
    }
    const valueEnd = html.indexOf(quote === doubleQuote ? '"' : "'", valueStart + 1);
    if (valueEnd < 0) return -1;
    this.note(nameStart, nameEnd);
    this.note(valueStart + 1, valueEnd);
    return valueEnd + 1;
  }

  /** Records a range: of each attribute the name, then the value. */
  private note(start: number, end: number): void {
    if (this.offsetCount >= attributeCountMax * 4) return;
    this.offsets[this.offsetCount++] = start;
    this.offsets[this.offsetCount++] = end;
  }
}

/** Whether `name`, in lower case, is at `start` in any letter case. */
function isNamed(html: string, start: number, name: string): boolean {
  if ((html.charCodeAt(start) | 0x20) !== name.charCodeAt(0)) return false;
  return html.startsWith(name, start) || html.slice(start, start + name.length).toLowerCase() === name;
}

function skipSpace(html: string, from: number): number {
  let position = from;
  while (isSpace(html.charCodeAt(position))) position++;
  return position;
}

function attributeNameEnd(html: string, from: number): number {
  // A leading `=` belongs to the name (§13.2.5.32), so every call advances.
  let position = from + 1;
  for (; position < html.length; position++) {
    const code = html.charCodeAt(position);
    if (code === equalsSign || endsName(code)) break;
  }
  return position;
}

function unquotedEnd(html: string, from: number): number {
  let position = from;
  for (; position < html.length; position++) {
    const code = html.charCodeAt(position);
    if (code === greaterThan || isSpace(code)) break;
  }
  return position;
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

const commentClose = /--!?>/g;

/**
 * Returns the offset after the comment. `from` is the offset after `<!--`; `<!-->` and `<!--->` are comments too
 * (§13.2.5.43).
 */
function commentEnd(html: string, from: number): number {
  if (html.charCodeAt(from) === greaterThan) return from + 1;
  if (html.startsWith("->", from)) return from + 2;
  commentClose.lastIndex = from;
  return commentClose.test(html) ? commentClose.lastIndex : html.length;
}

/** Returns the offset of the first match of a global expression at `from` or after it; the end of `html` if there is none. */
function indexOfMatch(html: string, expression: RegExp, from: number): number {
  expression.lastIndex = from;
  return expression.exec(html)?.index ?? html.length;
}
