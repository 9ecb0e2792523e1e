/** Parser of search queries, for `q=` and for the APIs of other mail catchers. */
import { build, orNull, type ValueOf } from "../schema.ts";
import { nearestName } from "../nearest-name.ts";
import { anyText, mailpitAnyText } from "./build-expression.ts";
import { isMailpitOperator, queryOperators } from "./query-operators.ts";
import type { QueryClock } from "./query-values.ts";
import { and, isWithinLimits, not, or, type SearchExpression } from "./search-expression.ts";

/**
 * Dialect of a query. `mailpit`: only its operators; `OR`, parentheses and values that no operator takes are text or are
 * ignored, as there.
 */
export type QueryDialect = "restante" | "mailpit";

/** Options of {@link parseQuery}. */
export interface QueryOptions extends QueryClock {
  readonly dialect?: QueryDialect;
}

/** Schema of a term of a query. */
export const queryTermSchema = build.object(
  {
    text: build.string("The term without quotes and negation."),
    start: build.integer("Place in the query, in UTF-16 code units."),
    end: build.integer("The place after its end."),
    operator: orNull(build.string("Name of the operator; null for text.")),
    value: build.string("Value of the operator, or the text."),
    isNegated: build.boolean("Whether the term excludes what it finds."),
    meaning: build.string("Condition on a message in words, without the negation."),
  },
  { $id: "QueryTerm" },
);

/** Term of a query, as it was understood. `start` and `end` are UTF-16 offsets of the query, the end excluded. */
export type QueryTerm = ValueOf<typeof queryTermSchema>;

/** Error of a query at the UTF-16 offset `start`. */
export interface QueryProblem {
  readonly start: number;
  readonly description: string;
}

/** Parsed query. Without problems the expression is within the limits of stores. */
export interface ParsedQuery {
  readonly expression: SearchExpression;
  readonly terms: readonly QueryTerm[];
  /** Parts of the query of which a match meets all. */
  readonly conjuncts: readonly QueryConjunct[];
  readonly problems: readonly QueryProblem[];
}

/** Part of a query that every match meets. */
export interface QueryConjunct {
  readonly text: string;
  readonly expression: SearchExpression;
}

/** Terms of a query, and the depth of its parentheses. */
export const queryTermCountMax = 50;
const queryDepthMax = 8;

/** Parses a query; linear in its length. */
export function parseQuery(query: string, options: QueryOptions): ParsedQuery {
  const { dialect = "restante" } = options;
  const tokens = dialect === "mailpit" ? mailpitTokens(query) : tokenise(query);
  const parser = new QueryParser(tokens, { ...options, dialect });
  const expression = parser.parse();
  const { terms, problems, places } = parser;
  if (terms.length > queryTermCountMax || !isWithinLimits(expression)) {
    const start = terms[queryTermCountMax]?.start ?? 0;
    const problem = { start, description: `At most ${queryTermCountMax} terms` };
    return { expression: and(), terms: [], conjuncts: [], problems: [problem] };
  }
  const conjuncts =
    places.length === 0 && terms.length > 0
      ? [{ text: query.trim(), expression }]
      : places.map(({ start, end, expression: part }) => ({ text: query.slice(start, end), expression: part }));
  return { expression, terms, conjuncts, problems };
}

/** Splits a query as Mailpit does: quotes are removed before operators are read, and only spaces separate words. */
function mailpitTokens(query: string): readonly QueryToken[] {
  const words = query.matchAll(/(?:"[^"]*(?:"|$)|[^ "])+/g);
  return [...words].flatMap(({ 0: word, index }): readonly QueryToken[] => {
    const whole = word.replaceAll('"', "").trim();
    const isNegated = whole.length > 1 && /^[-!]/.test(whole);
    const text = isNegated ? whole.slice(1) : whole;
    const place = { start: index, end: index + word.length };
    return [{ kind: "word", text, isQuoted: false, unquotedLength: text.length, isNegated, ...place }];
  });
}

class QueryParser {
  readonly terms: QueryTerm[] = [];
  readonly problems: QueryProblem[] = [];
  /** Top-level terms and groups; none when there are alternatives. */
  places: { readonly start: number; readonly end: number; readonly expression: SearchExpression }[] = [];
  readonly #tokens: readonly QueryToken[];
  readonly #options: QueryOptions;
  #at = 0;

  constructor(tokens: readonly QueryToken[], options: QueryOptions) {
    this.#tokens = tokens;
    this.#options = options;
  }

  parse(): SearchExpression {
    return this.#alternatives(0);
  }

  /** Reads up to the parenthesis that closes the group, or the end. */
  #alternatives(depth: number): SearchExpression {
    const alternatives: SearchExpression[][] = [[]];
    const add = (expression: SearchExpression, start: number): void => {
      alternatives.at(-1)?.push(expression);
      const end = this.#tokens[this.#at - 1]?.end ?? start;
      if (depth === 0) this.places.push({ start, end, expression });
    };
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      this.#at += 1;
      if (token.kind === "close") break;
      if (this.#isKeyword(token, "OR")) {
        alternatives.push([]);
      } else if (token.kind === "open") {
        if (depth >= queryDepthMax) {
          this.problems.push({ start: token.start, description: `At most ${queryDepthMax} nested parentheses` });
          this.#at = this.#tokens.length;
          break;
        }
        const group = this.#alternatives(depth + 1);
        add(token.isNegated ? not(group) : group, token.start);
      } else if (!this.#isKeyword(token, "AND")) {
        const term = this.#term(token);
        if (term !== undefined) add(term, token.start);
      }
    }
    // An alternative that is still being typed does not count.
    const given = alternatives.filter((one) => one.length > 0).map((one) => and(...one));
    if (depth === 0 && given.length > 1) this.places = [];
    return given.length === 0 ? and() : or(...given);
  }

  #isKeyword(token: QueryToken, keyword: "OR" | "AND"): boolean {
    return this.#options.dialect !== "mailpit" && token.kind === "word" && !token.isQuoted && token.text === keyword;
  }

  /** Returns undefined for a word that is ignored. */
  #term(token: QueryToken): SearchExpression | undefined {
    const { text, isNegated } = token;
    if (text.trim() === "") return undefined;
    const [name, value] = operatorOf(token);
    const expression = name === null ? this.#text(token) : this.#operator(token, name, value);
    return expression === undefined || !isNegated ? expression : not(expression);
  }

  #text(token: QueryToken): SearchExpression {
    const { text } = token;
    this.#add(token, { operator: null, value: text, meaning: `"${text}" occurs anywhere` });
    return this.#options.dialect === "mailpit" ? mailpitAnyText(text) : anyText(text);
  }

  #operator(token: QueryToken, name: string, value: string): SearchExpression | undefined {
    // While it is being typed, an operator has no value.
    if (value === "") return undefined;
    const isMailpit = this.#options.dialect === "mailpit";
    if (isMailpit && !isMailpitOperator(name, value)) return this.#text(token);
    const operator = queryOperators[name];
    const read = operator?.read(value, this.#options);
    if (operator === undefined) return this.#text(token);
    if (read === undefined) {
      if (!isMailpit) this.#reject(token, { name, value, takes: operator.takes });
      // Mailpit ignores a wrong date, and takes a wrong size for text.
      return isMailpit && (name === "larger" || name === "smaller") ? this.#text(token) : undefined;
    }
    this.#add(token, { operator: name, value, meaning: read.meaning });
    return read.expression;
  }

  #reject(token: QueryToken, { name, value, takes }: { name: string; value: string; takes: string }): void {
    const { start } = token;
    this.problems.push({ start, description: `${name}: takes ${takes}, not "${value}" (at character ${start + 1})` });
  }

  #add({ text, start, end, isNegated }: QueryToken, of: Pick<QueryTerm, "operator" | "value" | "meaning">): void {
    this.terms.push({ text, start, end, isNegated, ...of });
  }
}

/** Returns the operator of a word, null where it is text, and its value. */
function operatorOf({ text, isQuoted, unquotedLength }: QueryToken): readonly [string | null, string] {
  const colon = text.indexOf(":");
  if (isQuoted || colon <= 0 || colon >= unquotedLength) return [null, text];
  const name = text.slice(0, colon).toLowerCase();
  return Object.hasOwn(queryOperators, name) ? [name, text.slice(colon + 1).trim()] : [null, text];
}

/** Returns the operator that a word of text probably means, such as `form:` for `from:`; undefined where there is none. */
export function similarOperator(text: string): string | undefined {
  const [, name] = /^([a-z-]{2,12}):./i.exec(text) ?? [];
  return name === undefined ? undefined : nearestName(name.toLowerCase(), Object.keys(queryOperators));
}

/** Token of a search query. `start` and `end` are UTF-16 offsets of the query, the end excluded. */
interface QueryToken {
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
function tokenise(query: string): readonly QueryToken[] {
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
