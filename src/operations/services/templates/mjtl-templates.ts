/** Template language of Mailjet: `{{var:name:"default"}}`, strict about unknown variables, without escaping. */
import type { RenderBudget } from "./render-budget.ts";
import type { TagFunction } from "./tag-expressions.ts";
import { renderTags, type TagDialect } from "./tag-templates.ts";
import { numberOf, replaceText, textOf } from "./template-values.ts";

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Functions by name in lower case. */
export const mjtlFunctions: Readonly<Record<string, TagFunction>> = {
  abs: (_budget, value) => Math.abs(numberOf(value)),
  capitalize: (budget, value) => upperFirst(textOf(value, budget)),
  ceil: (_budget, value) => Math.ceil(numberOf(value)),
  contains: (budget, value, part) => textOf(value, budget).includes(textOf(part, budget)),
  endswith: (budget, value, part) => textOf(value, budget).endsWith(textOf(part, budget)),
  floor: (_budget, value) => Math.floor(numberOf(value)),
  length: (budget, value) => (Array.isArray(value) ? value.length : textOf(value, budget).length),
  lower: (budget, value) => textOf(value, budget).toLowerCase(),
  replace: (budget, ...values) => {
    const [text = "", part = "", by = ""] = [0, 1, 2].map((at) => textOf(values[at], budget));
    return replaceText(text, { part, by }, budget);
  },
  round: (_budget, value) => Math.round(numberOf(value)),
  startswith: (budget, value, part) => textOf(value, budget).startsWith(textOf(part, budget)),
  trim: (budget, value) => textOf(value, budget).trim(),
  upper: (budget, value) => textOf(value, budget).toUpperCase(),
};

const dialect: TagDialect = {
  filters: new Map(),
  functions: new Map(Object.entries(mjtlFunctions)),
  // Contact properties and predefined variables are not stored here: they have their default, or are empty.
  spaces: (space, data) => (space === "var" ? data : {}),
  isStrict: true,
  elseIf: ["elseif", "elsif", "elif"],
  escapes: false,
  hasComments: false,
};

/** Renders a source; values are inserted as they are, also into HTML. */
export function renderMjtl(source: string, data: unknown, { budget }: { readonly budget: RenderBudget }): string {
  return renderTags(source, data, { budget, isHtml: false, dialect });
}
