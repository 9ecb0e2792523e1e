/** Template language of Mailjet: `{{var:name:"default"}}`, strict about unknown variables, without escaping. */
import type { RenderBudget } from "./render-budget.ts";
import type { TagFunction } from "./tag-expressions.ts";
import { renderTags, type TagDialect } from "./tag-templates.ts";
import { numberOf, textOf } from "./template-values.ts";

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Functions by name in lower case. */
const functions: Readonly<Record<string, TagFunction>> = {
  abs: (value) => Math.abs(numberOf(value)),
  capitalize: (value) => upperFirst(textOf(value)),
  ceil: (value) => Math.ceil(numberOf(value)),
  contains: (value, part) => textOf(value).includes(textOf(part)),
  endswith: (value, part) => textOf(value).endsWith(textOf(part)),
  floor: (value) => Math.floor(numberOf(value)),
  length: (value) => (Array.isArray(value) ? value.length : textOf(value).length),
  lower: (value) => textOf(value).toLowerCase(),
  replace: (value, part, other) => textOf(value).replaceAll(textOf(part), () => textOf(other)),
  round: (value) => Math.round(numberOf(value)),
  startswith: (value, part) => textOf(value).startsWith(textOf(part)),
  trim: (value) => textOf(value).trim(),
  upper: (value) => textOf(value).toUpperCase(),
};

const dialect: TagDialect = {
  filters: new Map(),
  functions: new Map(Object.entries(functions)),
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
