/** Token of a search query. `start` and `end` are UTF-16 offsets of the query, the end excluded. */
export interface QueryToken {
  readonly kind: "word" | "open" | "close";
  /** Text without quotes; "" for parentheses. */
  readonly text: string;
  /** Whether a quote opens the word, so that it is no operator. */
  readonly isQuoted: boolean;
  /** Length of the text before the first quote; the whole length without one. An operator ends before it. */
  readonly unquotedLength: number;
  /** Whether `-` or `!` precedes the token. */
  readonly isNegated: boolean;
  readonly start: number;
  readonly end: number;
}

/** Splits a query into words and parentheses. Quotes keep white space together; an open quote ends with the query. */
export function tokenise(query: string): readonly QueryToken[] {
  const tokens: QueryToken[] = [];
  let depth = 0;
  for (let at = 0; at < query.length;) {
    if (/\s/.test(query.charAt(at))) {
      at += 1;
      continue;
    }
    const start = at;
    const isNegated = /[-!]/.test(query.charAt(at)) && /\S/.test(query.charAt(at + 1));
    if (isNegated) at += 1;
    const parenthesis = query.charAt(at);
    if (parenthesis === "(" || (parenthesis === ")" && depth > 0 && !isNegated)) {
      depth += parenthesis === "(" ? 1 : -1;
      at += 1;
      const kind = parenthesis === "(" ? "open" : "close";
      tokens.push({ kind, text: "", isQuoted: false, unquotedLength: 0, isNegated, start, end: at });
      continue;
    }
    const word = readWord(query, at, depth > 0);
    at = word.end;
    tokens.push({ kind: "word", isNegated, start, ...word });
  }
  return tokens;
}

type Word = Pick<QueryToken, "text" | "isQuoted" | "unquotedLength" | "end">;

/** Reads a word up to white space, or up to a parenthesis that closes a group and not one of the word's own. */
function readWord(query: string, start: number, isInGroup: boolean): Word {
  let text = "";
  let isInQuotes = false;
  let firstQuote: number | null = null;
  let ownDepth = 0;
  let at = start;
  for (; at < query.length; at += 1) {
    const character = query.charAt(at);
    if (character === '"') {
      firstQuote ??= text.length;
      isInQuotes = !isInQuotes;
      continue;
    }
    if (!isInQuotes) {
      if (/\s/.test(character)) break;
      if (character === ")" && ownDepth === 0 && isInGroup) break;
      ownDepth += { "(": 1, ")": -1 }[character] ?? 0;
    }
    text += character;
  }
  return { text, isQuoted: firstQuote === 0, unquotedLength: firstQuote ?? text.length, end: at };
}
