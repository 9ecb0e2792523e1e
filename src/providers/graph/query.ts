/** Conditions of `$filter` (OData) as search expressions. */
import { foldAddress, foldText } from "../../core/fold.ts";
import { and, isWithinLimits, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { invalidFilter, type Token, tokensOf } from "./filter-tokens.ts";
import { folderExpression, folderNameOf } from "./folder-tags.ts";
import { rootOfConversation } from "./ids.ts";

type Literal = string | boolean | number;

/** Comparison of a property with a literal; functions are comparisons too. */
interface Comparison {
  readonly operator: "eq" | "ne" | "gt" | "ge" | "lt" | "le" | "contains" | "startswith" | "endswith";
  readonly value: Literal;
}

/** Returns the expression of a comparison; undefined for one that the property does not have. */
type PropertyReader = (comparison: Comparison) => SearchExpression | undefined;

/** Reader of a property that is equal to a value or not. */
function equality(expressionOf: (value: Literal) => SearchExpression | undefined): PropertyReader {
  return ({ operator, value }) => {
    const isNegated = operator === "ne";
    const expression = isNegated || operator === "eq" ? expressionOf(value) : undefined;
    return expression !== undefined && isNegated ? not(expression) : expression;
  };
}

const flag = (name: "seen" | "flagged" | "draft"): SearchExpression => ({ kind: "flag", flag: name });
const truth = (expression: SearchExpression): PropertyReader =>
  equality((value) => (typeof value === "boolean" ? (value ? expression : not(expression)) : undefined));

/** Compares a part of a text: searches find no whole texts. */
function text(field: "subject" | "body"): PropertyReader {
  return ({ operator, value }) => {
    if (typeof value !== "string" || /^[gl][te]$/.test(operator)) return undefined;
    const term: SearchExpression = { kind: "text", field, term: foldText(value) };
    return operator === "ne" ? not(term) : term;
  };
}

function address(role: "from" | "to"): PropertyReader {
  return (comparison) => {
    const { operator, value } = comparison;
    if (typeof value !== "string") return undefined;
    if (operator === "eq" || operator === "ne") {
      return equality(() => ({ kind: "key", role, key: foldAddress(value) }))(comparison);
    }
    const isText = operator === "contains" || operator === "startswith" || operator === "endswith";
    const parts = role === "from" ? (["from"] as const) : (["to", "cc", "bcc"] as const);
    return isText ? or(...parts.map((part) => ({ kind: "part" as const, part, term: foldPart(value) }))) : undefined;
  };
}

/** Compares the instants that resources show: without milliseconds, unless the literal has them. */
const received: PropertyReader = ({ operator, value }) => {
  const at = typeof value === "string" ? readIsoInstant(value) : undefined;
  if (at === undefined) return undefined;
  const end = at + (String(value).includes(".") ? 1 : 1000);
  const between = (from: number | null, before: number | null): SearchExpression => ({
    kind: "received",
    from,
    before,
  });
  const expressions: Partial<Record<Comparison["operator"], SearchExpression>> = {
    ge: between(at, null),
    gt: between(end, null),
    lt: between(null, at),
    le: between(null, end),
    eq: between(at, end),
    ne: not(between(at, end)),
  };
  return expressions[operator];
};

const header = (name: string, term: string): SearchExpression => ({ kind: "header", name, term: foldText(term) });
const low = header("importance", "low");
const high = header("importance", "high");
const tag = (name: string): SearchExpression => ({ kind: "tag", tag: foldPart(name) });

/** Returns the expression of the mails of a thread. */
function conversation(root: string): SearchExpression | undefined {
  if (root === "") return undefined;
  return or(
    { kind: "part", part: "messageId", term: foldPart(root) },
    header("references", root),
    header("in-reply-to", root),
  );
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
  internetmessageid: equality((value) => ({
    kind: "part",
    part: "messageId",
    term: foldPart(String(value).replaceAll(/^<|>$/g, "")),
  })),
  conversationid: equality((value) => conversation(rootOfConversation(String(value)))),
  parentfolderid: equality((value) => folderExpression(folderNameOf(String(value)) ?? "")),
  "flag/flagstatus": equality((value) => (value === "flagged" ? flag("flagged") : not(flag("flagged")))),
  importance: equality((value) => (value === "low" ? low : value === "high" ? high : not(or(low, high)))),
};

/** Properties of the elements of collections, by collection. */
const collections: Readonly<Record<string, PropertyReader>> = {
  categories: equality((value) => tag(String(value))),
  torecipients: address("to"),
  ccrecipients: address("to"),
  bccrecipients: address("to"),
};

/** Longest condition of a request, in UTF-16 code units. */
export const conditionLengthMax = 4000;
/** Depth of nested parentheses and negations. */
const depthMax = 10;

/** Returns the expression of `$filter`; throws a rejection for a property or an operator that is not supported. */
export function readFilter(filter: string): SearchExpression {
  if (filter.length > conditionLengthMax) throw invalidFilter("too long");
  const expression = new FilterParser(tokensOf(filter)).parse();
  if (!isWithinLimits(expression)) throw invalidFilter("too many conditions");
  return expression;
}

class FilterParser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): SearchExpression {
    const expression = this.#alternatives();
    if (this.#at < this.#tokens.length) throw this.#invalid();
    return expression;
  }

  #alternatives(): SearchExpression {
    const some = [this.#conjunction()];
    while (this.#takeWord("or")) some.push(this.#conjunction());
    return or(...some);
  }

  #conjunction(): SearchExpression {
    const all = [this.#condition()];
    while (this.#takeWord("and")) all.push(this.#condition());
    return and(...all);
  }

  #condition(): SearchExpression {
    this.#depth += 1;
    if (this.#depth > depthMax) throw this.#invalid();
    const expression = this.#takeWord("not") ? not(this.#condition()) : this.#group();
    this.#depth -= 1;
    return expression;
  }

  #group(): SearchExpression {
    if (!this.#takeMark("(")) return this.#comparison();
    const inner = this.#alternatives();
    this.#expect(")");
    return inner;
  }

  #comparison(): SearchExpression {
    const name = this.#take("word").toLowerCase();
    if (name === "contains" || name === "startswith" || name === "endswith") return this.#call(name);
    const collection = /^(\w+)\/any$/.exec(name)?.[1];
    if (collection !== undefined) return this.#lambda(collection);
    return this.#read(properties, name, this.#operand());
  }

  #call(operator: Comparison["operator"], readers = properties, variable = ""): SearchExpression {
    this.#expect("(");
    const name = this.#take("word").toLowerCase();
    this.#expect(",");
    const value = this.#literal();
    this.#expect(")");
    const key = variable === "" ? name : this.#memberOf(name, variable);
    return this.#read(readers, key, { operator, value });
  }

  /** Reads `(c:c eq 'x')` and `(r:r/emailAddress/address eq 'x')`. */
  #lambda(collection: string): SearchExpression {
    this.#expect("(");
    const variable = this.#take("word").toLowerCase();
    this.#expect(":");
    const reader = Object.hasOwn(collections, collection) ? collections[collection] : undefined;
    if (reader === undefined) throw this.#invalid();
    const name = this.#take("word").toLowerCase();
    const isCall = name === "contains" || name === "startswith" || name === "endswith";
    if (!isCall) this.#memberOf(name, variable);
    const expression = isCall
      ? this.#call(name, { "": reader, "emailaddress/address": reader }, variable)
      : this.#read({ own: reader }, "own", this.#operand());
    this.#expect(")");
    return expression;
  }

  /** Returns the path behind the variable of a lambda. */
  #memberOf(name: string, variable: string): string {
    if (name === variable) return "";
    if (!name.startsWith(`${variable}/`)) throw this.#invalid();
    return name.slice(variable.length + 1);
  }

  #operand(): Comparison {
    const operator = this.#take("word").toLowerCase();
    if (!/^(?:eq|ne|gt|ge|lt|le)$/.test(operator)) throw this.#invalid();
    return { operator: operator as Comparison["operator"], value: this.#literal() };
  }

  #read(readers: Readonly<Record<string, PropertyReader>>, name: string, comparison: Comparison): SearchExpression {
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    const expression = reader?.(comparison);
    if (expression === undefined) throw invalidFilter(`${name} ${comparison.operator}`);
    return expression;
  }

  #literal(): Literal {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.kind === "string") return token.text.slice(1, -1).replaceAll("''", "'");
    if (token?.kind === "date") return token.text;
    if (token?.kind === "number") return Number(token.text);
    if (token?.text === "true" || token?.text === "false") return token.text === "true";
    throw this.#invalid();
  }

  #takeWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    const isIt = token?.kind === "word" && token.text.toLowerCase() === word;
    if (isIt) this.#at += 1;
    return isIt;
  }

  #takeMark(mark: string): boolean {
    const token = this.#tokens[this.#at];
    const isIt = token?.kind === "mark" && token.text === mark;
    if (isIt) this.#at += 1;
    return isIt;
  }

  #expect(mark: string): void {
    if (!this.#takeMark(mark)) throw this.#invalid();
  }

  #take(kind: Token["kind"]): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind) throw this.#invalid();
    this.#at += 1;
    return token.text;
  }

  #invalid(): Error {
    return invalidFilter(
      this.#tokens
        .slice(Math.max(0, this.#at - 1))
        .map((one) => one.text)
        .join(" "),
    );
  }
}
