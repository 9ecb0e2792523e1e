/** Helpers that SendGrid adds to Handlebars. */
import { formatDate, instantOf, offsetMinutesOf } from "./format-date.ts";
import type { RenderBudget } from "./render-budget.ts";
import { isTruthy, numberOf, textOf } from "./template-values.ts";

/** Blocks of a helper; absent when it is used inside of another tag. */
export interface HelperOptions {
  readonly fn?: (context: unknown) => string;
  readonly inverse?: (context: unknown) => string;
}

/** Function that a template calls: the arguments of the tag, then the options. */
export type Helper = (this: unknown, ...values: readonly unknown[]) => unknown;

type Condition = (values: readonly unknown[]) => boolean;

/** Returns a helper that renders its block when the condition is true; as a value, the condition itself. */
function conditional(condition: Condition): Helper {
  return function evaluate(this: unknown, ...values) {
    const options = values.at(-1) as HelperOptions;
    const isMet = condition(values.slice(0, -1));
    if (options.fn === undefined) return isMet;
    return isMet ? options.fn(this) : (options.inverse?.(this) ?? "");
  };
}

const areEqual: Condition = ([a, b]) => a === b || (isPlain(a) && isPlain(b) && String(a) === String(b));

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Returns the text, or the default of `{{insert name "default=Customer"}}` when it is absent or empty. */
function insert(values: readonly unknown[], budget: RenderBudget): string {
  const [value, ...rest] = values.slice(0, -1);
  const fallback = rest.find((one): one is string => typeof one === "string" && one.startsWith("default="));
  return isTruthy(value) || fallback === undefined ? textOf(value, budget) : fallback.slice("default=".length);
}

/** `{{formatDate timestamp format offset}}`; a value that is no date is inserted as it is. */
function formatDateHelper(values: readonly unknown[], budget: RenderBudget): string {
  const [value, format, offset] = values.slice(0, -1);
  const instant = instantOf(value);
  if (instant === null) return textOf(value, budget);
  const layout = typeof format === "string" ? format : "YYYY-MM-DDTHH:mm:ssZ";
  budget.allocateElements(layout.length);
  return formatDate(instant, layout, typeof offset === "string" ? offsetMinutesOf(offset) : 0);
}

/** Returns the helpers by name; they count what they make against the budget of the rendering. */
export function extraHelpers(budget: () => RenderBudget): Readonly<Record<string, Helper>> {
  return {
    equals: conditional(areEqual),
    notEquals: conditional((values) => !areEqual(values)),
    greaterThan: conditional(([a, b]) => numberOf(a) > numberOf(b)),
    lessThan: conditional(([a, b]) => numberOf(a) < numberOf(b)),
    and: conditional((values) => values.every(isTruthy)),
    or: conditional((values) => values.some(isTruthy)),
    length: (value) => (Array.isArray(value) || typeof value === "string" ? value.length : 0),
    insert: (...values) => insert(values, budget()),
    formatDate: (...values) => formatDateHelper(values, budget()),
  };
}
