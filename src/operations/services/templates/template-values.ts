/** Values of templates: JSON without access to prototypes. What makes a text or a list counts it first. */
import type { RenderBudget } from "./render-budget.ts";

/** Text that is not escaped. */
export class SafeText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns the own member of an object or array; undefined for anything else. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Returns a value as text: objects and arrays as JSON, "" for null and undefined. */
export function textOf(value: unknown, budget: RenderBudget): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (value instanceof SafeText) return value.text;
  if (typeof value !== "object") return JSON.stringify(value);
  const before = budget.allocated;
  countJson(value, budget);
  const json = JSON.stringify(value);
  // Escapes make texts longer.
  budget.allocate(Math.max(0, json.length - (budget.allocated - before)));
  return json;
}

/** UTF-16 units of a number or a constant in JSON. */
const scalarUnits = 24;

/** Counts the JSON of a value, without escapes, before it is made. */
export function countJson(value: unknown, budget: RenderBudget): void {
  if (typeof value === "string") budget.allocate(value.length + 2);
  else if (typeof value !== "object" || value === null) budget.allocate(scalarUnits);
  else if (Array.isArray(value)) {
    budget.allocate(value.length + 2);
    for (const item of value as readonly unknown[]) countJson(item, budget);
  } else {
    budget.allocate(2);
    for (const name in value) {
      budget.allocate(name.length + 4);
      countJson(memberOf(value, name), budget);
    }
  }
}

/** Returns the number of members of an object, without a list of them. */
export function memberCountOf(value: object): number {
  let count = 0;
  for (const _name in value) count += 1;
  return count;
}

/** Returns whether a value is neither absent nor empty nor zero nor false. */
export function isTruthy(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value);
  if (value instanceof SafeText) return value.text !== "";
  if (Array.isArray(value)) return value.length > 0;
  for (const _name in value) return true;
  return false;
}

/** Longest text that is read as a number. */
const numberLengthMax = 1000;

/** Returns a number for numbers and for texts that are one; NaN otherwise. */
export function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  const isText = typeof value === "string" && value.length <= numberLengthMax;
  return isText && value.trim() !== "" ? Number(value) : Number.NaN;
}

/** Returns how often a part occurs in a text, as `split` and `replaceAll` find it. */
export function occurrencesOf(text: string, part: string): number {
  if (part === "") return text.length;
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** Returns the pieces of a text between separators. */
export function splitText(text: string, separator: string, budget: RenderBudget): readonly string[] {
  budget.allocateElements(occurrencesOf(text, separator) + 1);
  return text.split(separator);
}

/** Returns a text in which each occurrence of a part is replaced. */
export function replaceText(
  text: string,
  { part, by }: { readonly part: string; readonly by: string },
  budget: RenderBudget,
): string {
  const count = occurrencesOf(text, part) + 1;
  // V8 keeps the pieces until the text is read.
  budget.allocateElements(count);
  budget.allocate(text.length + count * by.length);
  return text.replaceAll(part, () => by);
}

/** Entities by the expression that finds their character; the ampersand first. */
const entities: readonly (readonly [character: RegExp, entity: string])[] = [
  [/&/g, "&amp;"],
  [/</g, "&lt;"],
  [/>/g, "&gt;"],
  [/"/g, "&quot;"],
  [/'/g, "&#39;"],
];
const special = /["&'<>]/;
const entityLengthMax = 6;

function isSpecial(unit: number): boolean {
  return unit === 0x22 || unit === 0x26 || unit === 0x27 || unit === 0x3c || unit === 0x3e;
}

/** Escapes text for HTML. */
export function escapeHtml(text: string, budget: RenderBudget): string {
  if (!special.test(text)) return text;
  let length = text.length;
  for (let at = text.search(special); at < text.length; at += 1) {
    if (isSpecial(text.charCodeAt(at))) length += entityLengthMax - 1;
  }
  budget.allocate(length);
  return entities.reduce((escaped, [character, entity]) => escaped.replace(character, entity), text);
}

// Operators of expressions.

/** Binary operator. */
export type Operation = (a: unknown, b: unknown, budget: RenderBudget) => unknown;

const arithmetic =
  (operate: (a: number, b: number) => number): Operation =>
  (a, b) => {
    const result = operate(numberOf(a), numberOf(b));
    return Number.isFinite(result) ? result : null;
  };
const compared =
  (isMet: (order: number) => boolean): Operation =>
  (a, b, budget) => {
    const [x, y] = [numberOf(a), numberOf(b)];
    if (!Number.isNaN(x) && !Number.isNaN(y)) return isMet(x - y);
    const [text, other] = [textOf(a, budget), textOf(b, budget)];
    return isMet(text === other ? 0 : text < other ? -1 : 1);
  };
const areEqual = (a: unknown, b: unknown, budget: RenderBudget): boolean =>
  a === b || textOf(a, budget) === textOf(b, budget);
const contains = (a: unknown, b: unknown, budget: RenderBudget): boolean => {
  if (!Array.isArray(b)) {
    const text = textOf(a, budget);
    return typeof b === "object" ? memberOf(b, text) !== undefined : textOf(b, budget).includes(text);
  }
  return b.some((one) => {
    budget.allocate(1);
    return areEqual(a, one, budget);
  });
};
const added: Operation = (a, b, budget) =>
  typeof a === "string" && Number.isNaN(numberOf(a)) ? joined(a, b, budget) : plus(a, b, budget);
const plus = arithmetic((a, b) => a + b);

/** Returns both values as one text. */
export function joined(a: unknown, b: unknown, budget: RenderBudget): string {
  const [text, other] = [textOf(a, budget), textOf(b, budget)];
  budget.allocate(text.length + other.length);
  return text + other;
}

/** Binary operators by precedence, the weakest first. */
export const levels: readonly Readonly<Record<string, Operation>>[] = [
  {
    or: (a, b) => isTruthy(a) || isTruthy(b),
    "||": (a, b) => isTruthy(a) || isTruthy(b),
    xor: (a, b) => isTruthy(a) !== isTruthy(b),
  },
  { and: (a, b) => isTruthy(a) && isTruthy(b), "&&": (a, b) => isTruthy(a) && isTruthy(b) },
  {
    "=": areEqual,
    "==": areEqual,
    "===": areEqual,
    "!=": (a, b, budget) => !areEqual(a, b, budget),
    "<>": (a, b, budget) => !areEqual(a, b, budget),
    "<": compared((order) => order < 0),
    ">": compared((order) => order > 0),
    "<=": compared((order) => order <= 0),
    ">=": compared((order) => order >= 0),
    in: contains,
    "not in": (a, b, budget) => !contains(a, b, budget),
  },
  { "+": added, "-": arithmetic((a, b) => a - b) },
  {
    "*": arithmetic((a, b) => a * b),
    "/": arithmetic((a, b) => a / b),
    "%": arithmetic((a, b) => a % b),
    mod: arithmetic((a, b) => a % b),
    div: arithmetic((a, b) => Math.trunc(a / b)),
  },
];
