/** Operators of expressions. */
import type { RenderBudget } from "./render-budget.ts";
import { isTruthy, memberOf, numberOf, textOf } from "./template-values.ts";

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
