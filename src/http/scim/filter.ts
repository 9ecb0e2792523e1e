/** Filters of SCIM (RFC 7644 §3.4.2.2): comparisons for equality, with `and`, `or` and parentheses. */
import { invalidField, type Problem } from "../../core/errors.ts";

/** Values of a resource by the lower-case path of their attribute, such as `emails.value`. */
export type AttributeValues = (path: string) => readonly (string | boolean | null)[];

/** Returns whether a resource matches. */
export type Filter = (values: AttributeValues) => boolean;

const lengthMax = 2000;
const depthMax = 20;
const token = /\s*(?:(\(|\))|"((?:[^"\\]|\\.)*)"|([\w$:.-]+(?:\[[^\]]*\](?:\.\w+)?)?))/y;
/** Attributes whose values are compared with regard to letter case (RFC 7643 §3.1, §8.7). */
const exact: ReadonlySet<string> = new Set(["id", "externalid"]);

const literals: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
] as const);

/** Returns the filter of a text. Throws a 400 on `filter`. */
export function readFilter(text: string): Filter {
  if (text.length > lengthMax) throw wrongFilter(`is longer than ${lengthMax} characters`);
  const reader = new FilterReader(text);
  const filter = reader.readOr(0);
  if (!reader.isAtEnd()) throw wrongFilter("has more than one expression");
  return filter;
}

/** Returns the path of an attribute without its schema and the filter of its values, in lower case. */
export function attributePath(text: string): string {
  const path = text.replace(/^urn:[\w:.]{1,200}:(?:User|Group):/i, "").toLowerCase();
  const [start, end] = [path.indexOf("["), path.indexOf("]")];
  return start === -1 || end < start ? path : path.slice(0, start) + path.slice(end + 1);
}

class FilterReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#text.slice(this.#at).trim() === "";
  }

  readOr(depth: number): Filter {
    const parts = [this.#readAnd(depth)];
    while (this.#takes("or")) parts.push(this.#readAnd(depth));
    return (values) => parts.some((part) => part(values));
  }

  #readAnd(depth: number): Filter {
    const parts = [this.#readTerm(depth)];
    while (this.#takes("and")) parts.push(this.#readTerm(depth));
    return (values) => parts.every((part) => part(values));
  }

  #readTerm(depth: number): Filter {
    if (depth > depthMax) throw wrongFilter("is nested too deeply");
    const { bracket, word } = this.#next();
    if (bracket === "(") {
      const inner = this.readOr(depth + 1);
      if (this.#next().bracket !== ")") throw wrongFilter("lacks a closing parenthesis");
      return inner;
    }
    if (word === undefined) throw wrongFilter("lacks an attribute");
    if (!this.#takes("eq")) throw wrongFilter("has an operator other than eq");
    return equals(attributePath(word), this.#readValue());
  }

  #readValue(): string | boolean | null {
    const { text, word = "" } = this.#next();
    if (text !== undefined) return text.replaceAll(/\\(["\\/])/g, "$1");
    const known = literals.get(word.toLowerCase());
    if (known === undefined) throw wrongFilter("has a value that is no string, boolean or null");
    return known;
  }

  #takes(name: string): boolean {
    const start = this.#at;
    if (!this.isAtEnd() && this.#next().word?.toLowerCase() === name) return true;
    this.#at = start;
    return false;
  }

  #next(): { readonly bracket?: string; readonly text?: string; readonly word?: string } {
    token.lastIndex = this.#at;
    const found = token.exec(this.#text);
    if (found === null) throw wrongFilter("ends too early, or has a character that is not allowed");
    this.#at = token.lastIndex;
    const [, bracket, text, word] = found;
    return { ...(bracket && { bracket }), ...(text !== undefined && { text }), ...(word && { word }) };
  }
}

function equals(path: string, wanted: string | boolean | null): Filter {
  const comparable = (value: string | boolean | null): string | boolean | null =>
    typeof value === "string" && !exact.has(path) ? value.toLowerCase() : value;
  return (values) => values(path).some((value) => comparable(value) === comparable(wanted));
}

function wrongFilter(text: string): Problem {
  return invalidField("filter", `The filter ${text}; supported are eq, and, or, and parentheses`);
}
