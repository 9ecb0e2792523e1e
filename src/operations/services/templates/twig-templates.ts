/** Template language of MailerSend: a part of Twig 3. */
import { jinjaFilters } from "./jinja-templates.ts";
import type { RenderBudget } from "./render-budget.ts";
import type { TagFunction } from "./tag-expressions.ts";
import { renderTags, type TagDialect } from "./tag-templates.ts";
import { memberCountOf } from "./template-values.ts";

const keysOf: TagFunction = (budget, value) => {
  if (typeof value !== "object" || value === null) return [];
  budget.allocateElements(memberCountOf(value));
  return Object.keys(value);
};

const shared: ReadonlySet<string> = new Set(["default", "escape", "length", "lower", "upper"]);
/** Filters by name. */
export const twigFilters: ReadonlyMap<string, TagFunction> = new Map([
  ...Object.entries(jinjaFilters).filter(([name]) => shared.has(name)),
  ["keys", keysOf],
]);

const dialect: TagDialect = {
  filters: twigFilters,
  functions: new Map(),
  spaces: null,
  isStrict: false,
  elseIf: ["elseif"],
  escapes: true,
  hasComments: true,
};

/** Renders a source. */
export function renderTwig(
  source: string,
  data: unknown,
  options: { readonly budget: RenderBudget; readonly isHtml: boolean },
): string {
  return renderTags(source, data, { ...options, dialect });
}
