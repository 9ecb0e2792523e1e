/** Finds the words of `words.ts` in a text with a trie. */
import { type CueKind, wordsByLanguage, type Words } from "./words.ts";
import { wordsOfFurtherLanguages, wordsOfOtherScripts } from "./words-of-other-scripts.ts";

/** Word that indicates the meaning of numbers near it; offsets into the searched text. */
export interface Cue {
  readonly kind: CueKind;
  readonly start: number;
  readonly end: number;
}

/** Kind of the word that ends at a node of the trie, and of the words that begin with its letters. */
interface Kinds {
  whole: CueKind | null;
  prefix: CueKind | null;
}

/**
 * Trie of words. Nodes are numbers, and all edges are in one hash table with open addressing: a search follows several edges
 * for each word of a text, in half the time that a `Map` takes.
 */
class Trie {
  /** By node; null for most. */
  readonly kinds: (Kinds | null)[] = [null];
  /** Pairs by hash: node and UTF-16 code unit of an edge, and the node that it leads to, which is 0 where there is no edge. */
  #edges: Int32Array = new Int32Array(2048);

  /** Returns the node that a UTF-16 code unit leads to; 0 if there is none, also for NaN, the end of a text. */
  next(node: number, unit: number): number {
    const key = (node << 16) | unit;
    const mask = this.#edges.length - 2;
    for (let at = slotOf(key) & mask; ; at = (at + 2) & mask) {
      const target = this.#edges[at + 1] ?? 0;
      if (target === 0 || this.#edges[at] === key) return target;
    }
  }

  /** Adds a word, or with `*` at its end all words that start so. */
  insert(word: string, kind: CueKind): void {
    const begins = word.endsWith("*");
    const letters = begins ? word.slice(0, -1) : word;
    let node = rootNode;
    for (let index = 0; index < letters.length; index++) node = this.#nextOrNew(node, letters.charCodeAt(index));
    const kinds = (this.kinds[node] ??= { whole: null, prefix: null });
    if (begins) kinds.prefix = stronger(kinds.prefix, kind);
    else kinds.whole = stronger(kinds.whole, kind);
  }

  #nextOrNew(node: number, unit: number): number {
    const known = this.next(node, unit);
    if (known !== 0) return known;
    const added = this.kinds.push(null) - 1;
    if (added * 4 > this.#edges.length) this.#grow();
    this.#set((node << 16) | unit, added);
    return added;
  }

  #grow(): void {
    const edges = this.#edges;
    this.#edges = new Int32Array(edges.length * 2);
    for (let at = 0; at < edges.length; at += 2) {
      const target = edges[at + 1] ?? 0;
      if (target !== 0) this.#set(edges[at] ?? 0, target);
    }
  }

  #set(key: number, target: number): void {
    const mask = this.#edges.length - 2;
    let at = slotOf(key) & mask;
    while (this.#edges[at + 1] !== 0) at = (at + 2) & mask;
    this.#edges[at] = key;
    this.#edges[at + 1] = target;
  }
}

/** Returns a hash of an edge; the lowest bits but one are used, because an edge takes two places. */
function slotOf(key: number): number {
  const mixed = Math.imul(key, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

const rootNode = 0;
const beginnings = new Trie();
// Spelt backwards.
const endings = new Trie();

// A word with two kinds, by language or by its start and end, has the first of these.
const precedence: Readonly<Record<CueKind, number>> = {
  offer: 5,
  other: 4,
  code: 3,
  money: 2,
  unit: 1,
  sign: 0,
  type: -1,
};

let areWordsLearned = false;

/** Code units of a text that are searched at once. */
const blockLength = 256;

/** Cues of one text. They are found where they are asked for, each block once, so that any number of questions takes linear time. */
export class TextCues {
  readonly #lower: string;
  readonly #blocks: (readonly Cue[] | undefined)[] = [];

  constructor(text: string) {
    learnAllWords();
    this.#lower = text.replaceAll("İ", "i").toLowerCase();
  }

  /** Returns the cues within a range, in order, without overlaps; the longest match wins, letter case is ignored. */
  within(start: number, end: number): Cue[] {
    const cues: Cue[] = [];
    let free = start;
    for (let block = Math.floor(start / blockLength); block * blockLength < end; block++) {
      for (const cue of (this.#blocks[block] ??= this.#search(block))) {
        // One that begins in the block before may reach into this one.
        if (cue.start < free || cue.end > end) continue;
        cues.push(cue);
        free = cue.end;
      }
    }
    return cues;
  }

  /** Returns the cues that begin in a block. */
  #search(block: number): Cue[] {
    const lower = this.#lower;
    const cues: Cue[] = [];
    let position = block * blockLength;
    const end = Math.min(position + blockLength, lower.length);
    let isInLetters = false;
    while (position < end) {
      const unit = lower.charCodeAt(position);
      const isAfterLetter = isInLetters;
      isInLetters = isLatinLetter(unit);
      if ((isInLetters && isAfterLetter) || unit <= 0x20 || !startsWord(lower, position)) {
        position++;
        continue;
      }
      const cue = cueAt(lower, position);
      if (cue === null) {
        position++;
        continue;
      }
      cues.push(cue);
      position = cue.end;
      isInLetters = false;
    }
    return cues;
  }
}

/** Fills the tries on first use: 10,000 nodes that a start does not need. */
function learnAllWords(): void {
  if (areWordsLearned) return;
  areWordsLearned = true;
  for (const languages of [wordsByLanguage, wordsOfOtherScripts, wordsOfFurtherLanguages]) {
    for (const words of Object.values(languages)) learn(words);
  }
}

function learn(words: Words): void {
  for (const [kind, list] of Object.entries(words) as [CueKind, string][]) {
    for (const word of list.split(", ")) {
      if (word.startsWith("*")) endings.insert(word.slice(1).split("").toReversed().join(""), kind);
      else beginnings.insert(isUnspaced(word.charCodeAt(word.length - 1)) ? `${word}*` : word, kind);
    }
  }
}

function stronger(one: CueKind | null, other: CueKind): CueKind {
  return one !== null && precedence[one] >= precedence[other] ? one : other;
}

function cueAt(text: string, start: number): Cue | null {
  const { kind, end } = longestBeginning(text, start);
  if (isUnspaced(text.charCodeAt(start))) return kind === null ? null : { kind, start, end };
  const wordEnd = endOfWord(text, Math.max(start, end));
  const ending = end === wordEnd ? null : kindByEnding(text, start, wordEnd);
  const both = kind === null ? ending : ending === null ? kind : stronger(kind, ending);
  return both === null ? null : { kind: both, start, end: Math.max(end, wordEnd) };
}

/** Returns the kind and the end of the longest known word, or beginning of words, at `start`; null and `start` for none. */
function longestBeginning(text: string, start: number): { readonly kind: CueKind | null; readonly end: number } {
  let kind: CueKind | null = null;
  let end = start;
  let node = beginnings.next(rootNode, text.charCodeAt(start));
  for (let position = start + 1; node !== 0; position++) {
    const unit = text.charCodeAt(position);
    const kinds = beginnings.kinds[node] ?? null;
    if (kinds !== null) {
      const found = kinds.whole !== null && !isWordCharacter(unit) ? kinds.whole : kinds.prefix;
      if (found !== null) [kind, end] = [found, position];
    }
    node = beginnings.next(node, unit);
  }
  return { kind, end };
}

function kindByEnding(text: string, start: number, end: number): CueKind | null {
  let kind: CueKind | null = null;
  let node = endings.next(rootNode, text.charCodeAt(end - 1));
  for (let position = end - 2; node !== 0 && position >= start - 1; position--) {
    kind = endings.kinds[node]?.whole ?? kind;
    node = endings.next(node, text.charCodeAt(position));
  }
  return kind;
}

function endOfWord(text: string, from: number): number {
  let end = from;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (isLatinLetter(code)) {
      end++;
      continue;
    }
    const hyphenated = code === 0x2d && isWordCharacter(text.charCodeAt(end + 1)) && !isDigit(text.charCodeAt(end + 1));
    if ((!isWordCharacter(code) && !hyphenated) || isUnspaced(code)) break;
    end++;
  }
  return end;
}

function startsWord(text: string, position: number): boolean {
  if (position === 0 || isUnspaced(text.charCodeAt(position))) return true;
  const before = text.charCodeAt(position - 1);
  return !isWordCharacter(before) || isUnspaced(before) || isDigit(before) !== isDigit(text.charCodeAt(position));
}

/** Whether a code unit of text in lower case is one of most letters of mails, which need no further test. */
function isLatinLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

// 0: not checked yet, 1: no, 2: yes.
const wordCharacters = new Uint8Array(0x10000);

function isWordCharacter(code: number): boolean {
  if (Number.isNaN(code)) return false;
  const known = wordCharacters[code] ?? 1;
  if (known > 0) return known === 2;
  const is = /[\p{L}\p{M}\p{N}]/u.test(String.fromCharCode(code));
  wordCharacters[code] = is ? 2 : 1;
  return is;
}

/** Whether the script of this character has no spaces between words: Thai, Lao, Khmer, kana, Han, Hangul. */
function isUnspaced(code: number): boolean {
  return (
    (code >= 0x0e00 && code <= 0x0eff) ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff) ||
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af)
  );
}

// Words and signs between a label and its code.

const verb =
  "is|are|ist|lautet|est|es|és|é|è|είναι|är|er|eru|on|on:|je|jest|este|е|је|є|yra|ir|është|van|adalah|ialah|yaiku|be|the|with|using|là|la|ni|waa|ithi|yw|ass|huwa|estas|se|ay|איז|שלך הוא|הוא|هو|ہے|है";
function connectorOf(verbs: string): RegExp {
  return new RegExp(
    `(?:[:=>»|՝\\-為为是はがは는은을를]|เป็น|คือ|ແມ່ນ|គឺ|မှာ|ต่อไปนี้|(?:^|\\s)(?:${verbs}))[\\s"'“”„«‹(（[【「『*]*$`,
    "iu",
  );
}
/** End of a text that leads to a number: a colon, a verb. */
export const connector: RegExp = connectorOf(verb);
/** As {@link connector}, after a label, where Polish `to` is a verb. */
export const connectorAfterLabel: RegExp = connectorOf(`${verb}|to`);
/** Rest of the cell of a label, and the tab before the next cell. */
export const nextCell: RegExp = /^[^\t\n]*\t\s*$/;
/** Text between two entries of a list. */
export const listed: RegExp =
  /^(?:[\s,;/&|(]*(?:and|or|und|oder|et|ou|y|o|e|en|of|och|eller|og|и|или|和|と|또는))?[\s,;/&|(]*$/iu;
