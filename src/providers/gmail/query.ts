/** Search language of Gmail: https://support.google.com/mail/answer/7190 */
import { foldAddress, foldText } from "../../core/fold.ts";
import { mailpitAnyText } from "../../core/search/build-expression.ts";
import { parseInstant, parseSize, type QueryClock } from "../../core/search/query-values.ts";
import { and, isWithinLimits, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { foldPart, type SearchPart } from "../../core/search/search-fields.ts";
import { invalidArgument } from "./errors.ts";

/** Instant and labels to which a query refers. */
export interface QueryNames extends Pick<QueryClock, "now"> {
  /** Returns the expression of the messages with a label, by its id or name. */
  readonly labelled: (label: string) => SearchExpression;
}

/** Query, understood. */
export interface GmailQuery {
  readonly expression: SearchExpression;
  /** Whether the query itself says where to search, so that spam and trash are not left out. */
  readonly namesPlace: boolean;
}

/** Returns the expression of a query; wrong values of operators are ignored, as Gmail does. Throws for one that is too complex. */
export function readQuery(text: string, names: QueryNames): GmailQuery {
  const reader = new QueryReader(text, names);
  const expression = reader.read();
  if (!isWithinLimits(expression)) throw invalidArgument("Invalid query: too many terms");
  return { expression, namesPlace: reader.namesPlace };
}

const depthMax = 8;
/** Sign, operator, and what it applies to: a group, a phrase or a word; or the end of a group. */
const tokens = /(-?)(?:([a-z][a-z_\d]{0,15}):)?(?:([({])|"([^"]*)(?:"|$)|([^\s(){}"]+))|[)}]/gi;

class QueryReader {
  namesPlace = false;
  readonly #tokens: IterableIterator<RegExpMatchArray>;
  readonly #names: QueryNames;

  constructor(text: string, names: QueryNames) {
    this.#tokens = text.matchAll(tokens);
    this.#names = names;
  }

  read(): SearchExpression {
    const all: SearchExpression[] = [];
    for (let isMore = true; isMore;) {
      const group = this.#readGroup({ operator: "", isEither: false, depth: 0 });
      all.push(group.expression);
      // A parenthesis that nothing opened is ignored.
      ({ isMore } = group);
    }
    return and(...all);
  }

  /** Reads up to the end of a group. OR joins only what is beside it; `isEither` joins all. */
  #readGroup(group: Group): { readonly expression: SearchExpression; readonly isMore: boolean } {
    if (group.depth > depthMax) throw invalidArgument("Invalid query: too many nested parentheses");
    const alternatives: SearchExpression[][] = [];
    let joins = false;
    for (;;) {
      const { value: token } = this.#tokens.next() as IteratorResult<RegExpMatchArray, undefined>;
      const [whole] = token ?? [];
      if (token === undefined || whole === ")" || whole === "}") {
        return { expression: and(...alternatives.map((some) => or(...some))), isMore: token !== undefined };
      }
      joins ||= whole === "OR";
      const expression = this.#readOne(token, group);
      if (expression === undefined) continue;
      const joined = joins || group.isEither ? alternatives.at(-1) : undefined;
      if (joined === undefined) alternatives.push([expression]);
      else joined.push(expression);
      joins = false;
    }
  }

  /** Reads a word, phrase or group with its sign and operator; undefined for OR, AND and values that are ignored. */
  #readOne([whole, sign, own, open, phrase, word = ""]: RegExpMatchArray, group: Group): SearchExpression | undefined {
    if (whole === "OR" || whole === "AND") return undefined;
    const operator = own?.toLowerCase() ?? group.operator;
    const found =
      open === undefined
        ? this.#term(operator, phrase ?? word)
        : this.#readGroup({ operator, isEither: open === "{", depth: group.depth + 1 }).expression;
    return found === undefined || sign === "" ? found : not(found);
  }

  /** Returns undefined for a value that is ignored. */
  #term(name: string, value: string): SearchExpression | undefined {
    this.namesPlace ||= /^(?:in|is|label)$/.test(name) && /^(?:anywhere|trash|spam)$/i.test(value);
    if (name === "") return mailpitAnyText(value);
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    return operator === undefined ? mailpitAnyText(`${name}:${value}`) : operator(value, this.#names);
  }
}

interface Group {
  /** Operator of the words in the group; "" for none. */
  readonly operator: string;
  readonly isEither: boolean;
  readonly depth: number;
}

type Operator = (value: string, names: QueryNames) => SearchExpression | undefined;

const everything: SearchExpression = { kind: "always" };
const nothing: SearchExpression = or();

function inParts(...parts: readonly SearchPart[]): Operator {
  return (value) => or(...parts.map((part) => ({ kind: "part" as const, part, term: foldPart(value) })));
}

/** Returns an operator on addresses, for which `me` is the owner of the mailbox. */
function addressed(own: string, ...parts: readonly SearchPart[]): Operator {
  const search = inParts(...parts);
  return (value, names) => (value.toLowerCase() === "me" ? names.labelled(own) : search(value, names));
}

/** Gmail reads dates as midnight in this time zone: https://developers.google.com/workspace/gmail/api/guides/filtering */
const timeZone = "America/Los_Angeles";
const dayMs = 86_400_000;
const spanMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  d: dayMs,
  w: 7 * dayMs,
  m: 30 * dayMs,
  y: 365 * dayMs,
};

function instantOf(value: string, now: number): number | undefined {
  return /[a-z]/i.test(value) ? undefined : parseInstant(value, { now, timeZone });
}

function spanStart(value: string, now: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([hdwmy])$/i.exec(value) ?? [];
  return count === undefined ? undefined : now - Number(count) * (spanMs[unit.toLowerCase()] ?? 0);
}

function received(bound: "from" | "before", read: typeof instantOf): Operator {
  return (value, { now }) => {
    const at = read(value, now);
    return at === undefined ? undefined : { kind: "received", from: null, before: null, [bound]: at };
  };
}

function sized(comparison: "larger" | "smaller"): Operator {
  return (value) => {
    const bytes = parseSize(value);
    return bytes === undefined ? undefined : { kind: "size", comparison, bytes };
  };
}

const contents: Readonly<Record<string, SearchExpression>> = {
  attachment: { kind: "present", part: "attachment" },
  userlabels: { kind: "tagged" },
  nouserlabels: not({ kind: "tagged" }),
};

const labelled: Operator = (value, names) => names.labelled(value);
const [since, until] = [received("from", instantOf), received("before", instantOf)];

const operators: Readonly<Record<string, Operator>> = {
  from: addressed("SENT", "from"),
  to: addressed("INBOX", "to", "cc", "bcc"),
  cc: addressed("INBOX", "cc"),
  bcc: addressed("INBOX", "bcc"),
  list: inParts("to", "cc"),
  deliveredto: (value) => ({ kind: "key", role: "to", key: foldAddress(value) }),
  subject: (value) => ({ kind: "text", field: "subject", term: foldText(value) }),
  filename: inParts("attachment", "inline"),
  rfc822msgid: (value) => ({ kind: "part", part: "messageId", term: foldPart(`<${value.replace(/^<|>$/g, "")}>`) }),
  has: (value) => contents[value.toLowerCase()] ?? nothing,
  is: (value, names) => (value.toLowerCase() === "read" ? not(names.labelled("UNREAD")) : names.labelled(value)),
  in: (value, names) => (value.toLowerCase() === "anywhere" ? everything : names.labelled(value)),
  label: labelled,
  category: (value, names) => names.labelled(`CATEGORY_${value}`),
  after: since,
  newer: since,
  before: until,
  older: until,
  newer_than: received("from", spanStart),
  older_than: received("before", spanStart),
  larger: sized("larger"),
  size: sized("larger"),
  smaller: sized("smaller"),
};
