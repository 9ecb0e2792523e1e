/** Conditions of `$filter` (OData) and `$search` (KQL) as search expressions. */
import { foldAddress, foldText } from "../../core/fold.ts";
import { parseQuery } from "../../core/search/parse-query.ts";
import { and, isWithinLimits, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { foldPart, type SearchPart } from "../../core/search/search-fields.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { rejection } from "./errors.ts";
import { folderExpression, folderNameOf } from "./folder-tags.ts";
import { rootOfConversation } from "./ids.ts";

type Literal = string | boolean | number;

/** Operator of a comparison of a property with a literal; functions are comparisons too. `ne` is the negation of `eq`. */
type Operator = "eq" | "gt" | "ge" | "lt" | "le" | "contains" | "startswith" | "endswith";

/** Returns the expression of a comparison; undefined for one that the property does not have. */
type PropertyReader = (operator: Operator, value: Literal) => SearchExpression | undefined;

/** Returns the reader of a property that is equal to a value or not. */
function equality(expressionOf: (value: string) => SearchExpression | undefined): PropertyReader {
  return (operator, value) => (operator === "eq" ? expressionOf(String(value)) : undefined);
}

function truth(expression: SearchExpression): PropertyReader {
  return (operator, value) => {
    if (operator !== "eq" || typeof value !== "boolean") return undefined;
    return value ? expression : not(expression);
  };
}

/** Compares a part of a text: searches find no whole texts. */
function text(field: "subject" | "body"): PropertyReader {
  return (operator, value) =>
    typeof value !== "string" || /^[gl][te]$/.test(operator)
      ? undefined
      : { kind: "text", field, term: foldText(value) };
}

function address(role: "from" | "to"): PropertyReader {
  const parts = role === "from" ? (["from"] as const) : (["to", "cc", "bcc"] as const);
  return (operator, value) => {
    if (typeof value !== "string" || /^[gl][te]$/.test(operator)) return undefined;
    if (operator === "eq") return { kind: "key", role, key: foldAddress(value) };
    return or(...parts.map((name) => part(name, value)));
  };
}

/** Compares the instants that resources show: without milliseconds, unless the literal has them. */
const received: PropertyReader = (operator, value) => {
  const at = typeof value === "string" ? readIsoInstant(value) : undefined;
  if (at === undefined) return undefined;
  const end = at + (String(value).includes(".") ? 1 : 1000);
  const bounds: Partial<Record<Operator, readonly [from: number | null, before: number | null]>> = {
    ge: [at, null],
    gt: [end, null],
    lt: [null, at],
    le: [null, end],
    eq: [at, end],
  };
  const [from, before] = bounds[operator] ?? [null, null];
  return from === before ? undefined : { kind: "received", from, before };
};

const flag = (name: "seen" | "flagged" | "draft"): SearchExpression => ({ kind: "flag", flag: name });
const part = (name: SearchPart, value: string): SearchExpression => ({
  kind: "part",
  part: name,
  term: foldPart(value),
});
const header = (name: string, term: string): SearchExpression => ({ kind: "header", name, term: foldText(term) });
const low = header("importance", "low");
const high = header("importance", "high");

/** Returns the expression of the mails of a thread. */
function conversation(id: string): SearchExpression | undefined {
  const root = rootOfConversation(id);
  if (root === "") return undefined;
  return or(part("messageId", root), header("references", root), header("in-reply-to", root));
}

/** Readers by property, in lower case. */
const properties: Readonly<Record<string, PropertyReader>> = {
  isread: truth(flag("seen")),
  isdraft: truth(flag("draft")),
  hasattachments: truth({ kind: "present", part: "attachment" }),
  subject: text("subject"),
  "body/content": text("body"),
  bodypreview: text("body"),
  "from/emailaddress/address": address("from"),
  "from/emailaddress/name": address("from"),
  "sender/emailaddress/address": address("from"),
  receiveddatetime: received,
  sentdatetime: received,
  createddatetime: received,
  lastmodifieddatetime: received,
  internetmessageid: equality((value) => part("messageId", value.replaceAll(/^<|>$/g, ""))),
  conversationid: equality(conversation),
  parentfolderid: equality((value) => folderExpression(folderNameOf(value) ?? "")),
  "flag/flagstatus": equality((value) => (value === "flagged" ? flag("flagged") : not(flag("flagged")))),
  importance: equality((value) => (value === "low" ? low : value === "high" ? high : not(or(low, high)))),
};

/** Properties of the elements of collections, by collection. */
const collections: Readonly<Record<string, PropertyReader>> = {
  categories: equality((value) => ({ kind: "tag", tag: foldPart(value) })),
  torecipients: address("to"),
  ccrecipients: address("to"),
  bccrecipients: address("to"),
};

/** Longest condition of a request, in UTF-16 code units. */
const conditionLengthMax = 4000;
/** Depth of nested parentheses and negations. */
const depthMax = 10;

/** Returns the error of a condition, of which it shows a part. */
function invalidFilter(clause: string): Error {
  const text = "The query filter contains one or more invalid nodes";
  return rejection("ErrorInvalidUrlQueryFilter", `${text}: ${clause.slice(0, 100)}`);
}

/** Returns the expression of `$filter`; throws a rejection for a property or an operator that is not supported. */
export function readFilter(filter: string): SearchExpression {
  if (filter.length > conditionLengthMax) throw invalidFilter("too long");
  const expression = new FilterReader(filter.trimEnd()).read();
  if (!isWithinLimits(expression)) throw invalidFilter("too many conditions");
  return expression;
}

const negation = /\s*not(?![\w./@-])/iy;
const conjunction = /\s*and(?![\w./@-])/iy;
const alternative = /\s*or(?![\w./@-])/iy;
const [opening, closing] = [/\s*\(/y, /\s*\)/y];
const lambda = /\s*(?<collection>\w+)\/any\s*\(\s*(?<variable>\w+)\s*:/iy;
const call = /\s*(?<operator>contains|startswith|endswith)\s*\(\s*(?<name>[a-z_@][\w./@-]*)\s*,/iy;
const operand = /\s*(?<name>[a-z_@][\w./@-]*)\s+(?<operator>eq|ne|gt|ge|lt|le)(?![\w./@-])/iy;
const literal =
  /\s*(?:'(?<string>(?:[^']|'')*)'|(?<date>\d{4}-\d\d-\d\d(?:T[0-9:.]+(?:Z|[+-]\d\d:?\d\d)?)?)|(?<number>-?\d+(?:\.\d+)?)|(?<truth>true|false)(?![\w./@-]))/y;

/** Reads a condition by recursive descent. */
class FilterReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): SearchExpression {
    const expression = this.#alternatives();
    if (this.#at < this.#text.length) throw this.#invalid();
    return expression;
  }

  #alternatives(): SearchExpression {
    return or(...this.#list(alternative, () => and(...this.#list(conjunction, () => this.#condition()))));
  }

  #list(separator: RegExp, read: () => SearchExpression): readonly SearchExpression[] {
    const all = [read()];
    while (this.#take(separator) !== undefined) all.push(read());
    return all;
  }

  #condition(): SearchExpression {
    this.#depth += 1;
    if (this.#depth > depthMax) throw this.#invalid();
    const expression = this.#take(negation) === undefined ? this.#group() : not(this.#condition());
    this.#depth -= 1;
    return expression;
  }

  #group(): SearchExpression {
    if (this.#take(opening) !== undefined) return this.#closed(this.#alternatives());
    const { collection, variable } = this.#take(lambda) ?? {};
    if (collection === undefined || variable === undefined) return this.#comparison(properties);
    return this.#closed(this.#comparison(collections, { collection, variable }));
  }

  /** Reads `isRead eq true`, `contains(subject,'x')` or, about an element of a collection, `c eq 'x'` and `c/address eq 'x'`. */
  #comparison(readers: Readonly<Record<string, PropertyReader>>, element?: Element): SearchExpression {
    const called = this.#take(call);
    const { name = "", operator = "" } = called ?? this.#expect(operand);
    const value = this.#literal();
    if (called !== undefined) this.#expect(closing);
    const key = (element === undefined ? name : elementIn(name, element, called !== undefined)).toLowerCase();
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    const isNegated = operator.toLowerCase() === "ne";
    const expression = reader?.(isNegated ? "eq" : (operator.toLowerCase() as Operator), value);
    if (expression === undefined) throw invalidFilter(`${name} ${operator}`);
    return isNegated ? not(expression) : expression;
  }

  #literal(): Literal {
    const { string, date, number, truth: isTrue } = this.#expect(literal);
    return string?.replaceAll("''", "'") ?? date ?? (number === undefined ? isTrue === "true" : Number(number));
  }

  #closed(expression: SearchExpression): SearchExpression {
    this.#expect(closing);
    return expression;
  }

  #expect(pattern: RegExp): Groups {
    const found = this.#take(pattern);
    if (found === undefined) throw this.#invalid();
    return found;
  }

  /** Returns the groups of a pattern that matches the text at this point, and goes on behind it. */
  #take(pattern: RegExp): Groups | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match.groups ?? {};
  }

  #invalid(): Error {
    return invalidFilter(this.#text.slice(this.#at));
  }
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Element of a collection, by its name in a lambda. */
type Element = Readonly<Record<"collection" | "variable", string>>;

/** Returns the collection of the element that a path is about; "" for another path. */
function elementIn(path: string, { collection, variable }: Element, isCall: boolean): string {
  const [own, name] = [variable.toLowerCase(), path.toLowerCase()];
  const isElement = name === own || (isCall ? name === `${own}/emailaddress/address` : name.startsWith(`${own}/`));
  return isElement ? collection : "";
}

/** Properties of KQL, and the operators that stand for them. */
const searchOperators: Readonly<Record<string, string>> = {
  participants: "addressed",
  recipients: "recipient",
  attachment: "filename",
};

/** Text in quotes, NOT, or a property with the relation to its value. */
const conditionPattern = /("[^"]*")|\bNOT\s+|\b([A-Za-z]+)(:|>=|<=|>|<|=)/g;

/**
 * Returns the expression of `$search`: `"pizza"`, `"subject:order"`, `"from:bob AND hasAttachment:true"`. Words without a
 * property are found anywhere. Throws a rejection for a value that a property does not take.
 */
export function readSearch(search: string, now: number): SearchExpression {
  const quoted = /^\s*"(.*)"\s*$/s.exec(search)?.[1];
  const query = (quoted ?? search).replaceAll('\\"', '"');
  if (query.length > conditionLengthMax) throw rejection("BadRequest", "Syntax error: the search is too long.");
  const translated = query.replaceAll(conditionPattern, (...[, literal, name, relation]: readonly string[]) =>
    typeof literal === "string" ? literal : typeof name === "string" ? operatorOf(name, relation ?? ":") : "-",
  );
  const { expression, problems } = parseQuery(
    translated.replaceAll("has:true", "has:attachment").replaceAll("has:false", "-has:attachment"),
    { now },
  );
  const [problem] = problems;
  if (problem !== undefined) throw rejection("BadRequest", `Syntax error: ${problem.description}.`);
  return expression;
}

function operatorOf(given: string, relation: string): string {
  const name = given.toLowerCase();
  if (name === "hasattachment" || name === "hasattachments") return "has:";
  const isFrom = relation.startsWith(">") || relation === ":" || relation === "=";
  if (name === "received" || name === "sent") return isFrom ? "after:" : "before:";
  if (name === "size") return relation.startsWith("<") ? "smaller:" : "larger:";
  return `${searchOperators[name] ?? name}:`;
}
