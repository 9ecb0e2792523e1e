/** Text of the search box: words that are being typed, and operators that are complete. */
import { operatorTerm, termsOf, type MailQuery } from "./mail-query.ts";

/** Values that an operator is offered with; null where any text is a value. */
export const operatorValues: Readonly<Record<string, readonly string[] | null>> = {
  from: null,
  to: null,
  recipient: null,
  subject: null,
  body: null,
  filename: null,
  code: null,
  tag: null,
  is: ["unread", "read", "flagged", "answered", "tagged", "email", "sms"],
  has: ["attachment", "code", "inline", "tag"],
  type: ["email", "sms"],
  after: ["today", "yesterday", "1h", "24h", "7d"],
  before: ["today", "yesterday", "1h", "24h", "7d"],
  larger: ["100k", "1M", "10M"],
  smaller: ["100k", "1M", "10M"],
  cc: null,
  bcc: null,
  "reply-to": null,
  "message-id": null,
  number: null,
  provider: null,
  sender: null,
  addressed: null,
};

/** Values that the service takes, for operators that do not take any text. */
const completeValues: Readonly<Record<string, RegExp>> = {
  is: /^(?:unread|read|flagged|answered|tagged|draft|deleted|email|sms)$/i,
  has: /^(?:attachments?|codes?|inlines?|tag)$/i,
  type: /^(?:email|sms)$/i,
  ...Object.fromEntries(
    ["after", "before"].map((name) => [
      name,
      /^(?:\d{1,9}[smhdw]|today|yesterday|now|\d{4}(?:-(?:0?[1-9]|1[0-2])(?:-(?:0?[1-9]|[12]\d|3[01]))?)?)$/i,
    ]),
  ),
  ...Object.fromEntries(["larger", "smaller"].map((name) => [name, /^[1-9]\d{0,14}(?:\.\d{1,9})?(?:[km]b?|b)?$/i])),
};

/** Search text: complete operators, and the rest. */
export interface SearchDraft {
  readonly chips: readonly string[];
  readonly text: string;
}

/** Operator of a term with its value. */
export interface OperatorTerm {
  readonly isNegated: boolean;
  readonly operator: string;
  /** Without quotes. */
  readonly value: string;
}

/** Returns the operator of a term; null for words, texts in quotes and groups. */
export function operatorOf(term: string): OperatorTerm | null {
  const [, sign = "", name = "", value = ""] = /^([-!]?)([a-z-]+):(.*)$/is.exec(term) ?? [];
  const operator = name.toLowerCase();
  if (!Object.hasOwn(operatorValues, operator)) return null;
  return { isNegated: sign !== "", operator, value: value.replaceAll('"', "").trim() };
}

/** Splits a query for the search box; alternatives stay together as text. */
export function splitQuery(q: string): SearchDraft {
  const terms = termsOf(q);
  const isOperator = (term: string): boolean => (operatorOf(term)?.value ?? "") !== "";
  return { chips: terms.filter(isOperator), text: terms.filter((term) => !isOperator(term)).join(" ") };
}

/** Returns the draft after its text has changed: operators before the last term are complete. */
export function withText({ chips }: SearchDraft, text: string): SearchDraft {
  const terms = termsOf(text);
  const isOpen = !/\s$/.test(text) || isQuoteOpen(text);
  const [done, rest] = [isOpen ? terms.slice(0, -1) : terms, isOpen ? terms.slice(-1) : []];
  const split = splitQuery(done.join(" "));
  if (split.chips.length === 0) return { chips, text };
  const words = [split.text, ...rest].filter((part) => part !== "").join(" ");
  return { chips: [...chips, ...split.chips], text: isOpen || words === "" ? words : `${words} ` };
}

/** Returns the draft with all operators as chips. */
export function committed({ chips, text }: SearchDraft): SearchDraft {
  const split = splitQuery(text);
  return split.chips.length === 0 ? { chips, text } : { chips: [...chips, ...split.chips], text: split.text };
}

/** Returns the query of a draft. */
export function joinQuery({ chips, text }: SearchDraft): string {
  return [...chips, text.trim()].filter((part) => part !== "").join(" ");
}

/** Returns the query of a draft without a term that is not complete and that the service would reject or misread. */
export function liveQuery({ chips, text }: SearchDraft): string {
  const terms = termsOf(text);
  const last = terms.at(-1);
  const isIncomplete = last !== undefined && !/\s$/.test(text) && isPartial(last);
  return joinQuery({ chips, text: isIncomplete ? text.slice(0, text.lastIndexOf(last)) : text });
}

function isPartial(term: string): boolean {
  if (/^[-!(]+$/.test(term)) return true;
  const given = operatorOf(term);
  return given !== null && (given.value === "" || completeValues[given.operator]?.test(given.value) === false);
}

function isQuoteOpen(text: string): boolean {
  return (text.split('"').length - 1) % 2 === 1;
}

/** Returns the value of the first term of `q` with an operator, without quotes; "" without one. */
export function operatorValue(q: string, operator: string): string {
  return termsOf(q).map(operatorOf).find(isOf(operator))?.value ?? "";
}

/** Returns `q` with one term of an operator instead of all that it had or, for "", without them. */
export function withOperator(q: string, operator: string, value: string): string {
  const isOther = (term: string): boolean => !isOf(operator)(operatorOf(term));
  const others = termsOf(q).filter(isOther);
  if (value === "") return others.join(" ");
  return [asOneTerm(others), operatorTerm(operator, value)].filter((one) => one !== "").join(" ");
}

function isOf(operator: string): (given: OperatorTerm | null) => boolean {
  return (given) => given?.operator === operator && !given.isNegated;
}

/** Joins terms so that further ones narrow their result: `OR` binds less than the space between terms. */
export function asOneTerm(terms: readonly string[]): string {
  const text = terms.join(" ");
  return terms.length === 1 && !text.startsWith("(") && / OR /.test(text) ? `(${text})` : text;
}

/** Text that matches of a query contain, and the operator by which it was searched; null for any place. */
export interface MarkedTerm {
  readonly operator: string | null;
  readonly text: string;
}

const unmarkedOperators: ReadonlySet<string> = new Set([
  ...Object.keys(completeValues),
  "message-id",
  "provider",
  "number",
]);

/** Returns the texts to mark in matches of a query; those of negated terms are not in them. */
export function markedTerms(q: string): readonly MarkedTerm[] {
  return termsOf(q).flatMap((term): readonly MarkedTerm[] => {
    const given = operatorOf(term);
    if (given !== null) {
      const { isNegated, operator, value } = given;
      return isNegated || value === "" || unmarkedOperators.has(operator) ? [] : [{ operator, text: value }];
    }
    if (/^[-!]./.test(term)) return [];
    if (/^\(.*\)$/s.test(term)) return markedTerms(term.slice(1, -1));
    if (/\sOR\s/.test(term)) return term.split(/\s+OR\s+/).flatMap(markedTerms);
    const text = term.replaceAll('"', "").trim();
    return text === "" || /^(?:OR|AND)$/.test(text) ? [] : [{ operator: null, text }];
  });
}

/** Returns the texts to mark in matches of a query with its criteria. */
export function markedTermsOf({ q, criteria }: MailQuery): readonly MarkedTerm[] {
  const given = [
    { operator: "recipient", text: criteria.sentTo },
    { operator: "from", text: criteria.sentFrom },
    { operator: "subject", text: criteria.subject },
    { operator: "body", text: criteria.body },
    { operator: "tag", text: criteria.tag },
  ];
  return [
    ...markedTerms(q),
    ...given.flatMap(({ operator, text }) => (text === undefined ? [] : [{ operator, text }])),
  ];
}
