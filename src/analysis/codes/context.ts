/** Position of a candidate: its line, cell and sentence, and the cues in them. */
import type { Candidate } from "./candidates.ts";
import { type Cue, TextCues } from "./cues.ts";

/** Range of the normalised text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Sentence with the cues in it, in order. */
export interface Sentence extends Span {
  readonly cues: readonly Cue[];
}

// A sentence extends at most this far from its number, so that a text without full stops takes linear time.
const sentenceReach = 240;
const sentenceEnd = /[。！？؟।۔።։។။]|[.!?…;](?=\s|$)/g;
const abbreviation = /(?:^|[\s(])[\p{L}°º]{1,4}\.$/u;
const genericCode = /^codes?$/i;
const wrappedLengthMin = 45;
const aloneSurplusMax = 40;

/** Normalised text with its candidates, queried by position. */
export class Context {
  readonly typed: string;
  private readonly candidates: readonly Candidate[];
  private readonly lines: readonly Span[];
  private readonly cues: TextCues;

  constructor(typed: string, candidates: readonly Candidate[]) {
    this.typed = typed;
    this.candidates = candidates.filter((candidate) => !candidate.needsLabel);
    this.cues = new TextCues(typed);
    this.lines = linesOf(typed, candidates.at(-1)?.end ?? 0);
  }

  /** Returns the cues of a range, in order; offsets into the normalised text. */
  cuesIn({ start, end }: Span): readonly Cue[] {
    const cues: Cue[] = [];
    for (const cue of this.cues.within(start, end)) {
      const last = cues.at(-1);
      // `order code` names no one-time code; `parcel PIN` does.
      if (last !== undefined && this.isCompound(last, cue)) {
        cues[cues.length - 1] = { kind: last.kind, start: last.start, end: cue.end };
      } else {
        cues.push(cue);
      }
    }
    return cues;
  }

  /**
   * Returns the line that is `offset` lines away from the one at `position`, not counting blank lines; null outside of
   * the text, and after the line that follows the last candidate.
   */
  line(position: number, offset = 0): Span | null {
    return this.lines[lastAtOrBefore(this.lines, position) + offset] ?? null;
  }

  /** Returns the sentence around a candidate, within its line. */
  sentence(candidate: Span): Sentence {
    const line = this.line(candidate.start) ?? candidate;
    const above = this.line(candidate.start, -1);
    const lineStart = above !== null && this.isWrapped(above, line) ? above.start : line.start;
    const from = Math.max(lineStart, candidate.start - sentenceReach);
    const to = Math.min(line.end, candidate.end + sentenceReach);
    const start = this.sentenceStart(from, candidate.start);
    const end = this.sentenceStop(candidate.end, to);
    return { start, end, cues: this.cuesIn({ start, end }) };
  }

  /** Whether a long line continues in the next: it does not end in a full stop and no blank line follows. */
  private isWrapped(above: Span, line: Span): boolean {
    if (line.start - above.end !== 1 || above.end - above.start < wrappedLengthMin) return false;
    return !/[.!?:;。！？：؟।۔።։។။…]\s*$/.test(this.typed.slice(above.end - 8, above.end));
  }

  /** Whether the candidate's line or table cell contains nothing else. */
  isAlone(candidate: Span): boolean {
    const line = this.line(candidate.start) ?? candidate;
    // Searched within the line only: there may be many candidates, and a text without tabs may be long.
    const from = Math.max(line.start, candidate.start - aloneSurplusMax - 1);
    const to = Math.min(line.end, candidate.end + aloneSurplusMax + 1);
    let start = candidate.start;
    for (; start > from && this.typed[start - 1] !== "\t"; start -= 1) {
      if (isWordUnit(this.typed, start - 1, from)) return false;
    }
    let end = Math.min(candidate.end, to);
    for (; end < to && this.typed[end] !== "\t"; end += 1) {
      if (isWordUnit(this.typed, end, candidate.end)) return false;
    }
    return end - start <= candidate.end - candidate.start + aloneSurplusMax;
  }

  /** Whether the range contains another candidate that does not need a label. */
  hasCandidate({ start, end }: Span): boolean {
    const last = this.candidates[lastAtOrBefore(this.candidates, end - 1)];
    return last !== undefined && last.start >= start && end > start;
  }

  private isCompound(first: Cue, second: Cue): boolean {
    if (first.kind !== "other" && first.kind !== "offer") return false;
    return second.start - first.end === 1 && genericCode.test(this.typed.slice(second.start, second.end));
  }

  /** Whether the text contains another candidate that does not need a label. */
  hasOtherThan(candidate: Candidate): boolean {
    return this.candidates.some((other) => other !== candidate);
  }

  private sentenceStart(from: number, position: number): number {
    const text = this.typed.slice(from, position);
    let start = from;
    sentenceEnd.lastIndex = 0;
    while (sentenceEnd.test(text)) {
      const end = sentenceEnd.lastIndex;
      if (text[end - 1] !== "." || !abbreviation.test(text.slice(Math.max(0, end - 6), end))) start = from + end;
    }
    return start;
  }

  private sentenceStop(position: number, to: number): number {
    const text = this.typed.slice(position, to);
    const found = text.search(sentenceEnd);
    return found < 0 ? to : position + found + 1;
  }
}

/** State of each UTF-16 code unit: 0 not checked yet, 1 neither letter nor number, 2 letter or number. */
const unitKinds = new Uint8Array(0x10000);
const word = /[\p{L}\p{N}]/u;

/** Whether the code unit at a position ends a letter or number that starts at `from` or later. */
function isWordUnit(text: string, position: number, from: number): boolean {
  const unit = text.charCodeAt(position);
  if (unit >= 0xdc00 && unit <= 0xdfff) return position > from && word.test(text.slice(position - 1, position + 1));
  const kind = unitKinds[unit] ?? 0;
  if (kind !== 0) return kind === 2;
  const isWord = word.test(String.fromCharCode(unit));
  unitKinds[unit] = isWord ? 2 : 1;
  return isWord;
}

const nonBlank = /\S/g;

/** Returns the lines that are not blank, up to the first that starts after `last`. */
function linesOf(typed: string, last: number): Span[] {
  const lines: Span[] = [];
  nonBlank.lastIndex = 0;
  while (nonBlank.test(typed)) {
    const first = nonBlank.lastIndex - 1;
    const start = typed.lastIndexOf("\n", first) + 1;
    const stop = typed.indexOf("\n", first);
    const end = stop < 0 ? typed.length : stop;
    lines.push({ start, end });
    if (start > last) break;
    nonBlank.lastIndex = end;
  }
  return lines;
}

/** Returns the index of the last span that starts at or before `position`; -1 if there is none. Spans are in order. */
function lastAtOrBefore(spans: readonly Span[], position: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.start ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
