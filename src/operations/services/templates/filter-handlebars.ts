/** Handlebars with the filters of Mailchimp Transactional, and conditions between backticks: {{#if `COUNT > 1`}}. */
import { createHandlebars, type HelpersOf } from "./handlebars-templates.ts";
import { jinjaFilters } from "./jinja-templates.ts";
import type { RenderBudget, RenderOptions } from "./render-budget.ts";
import { callCounted, ExpressionReader, type TagFunction } from "./tag-expressions.ts";
import { memberOf, textOf } from "./template-values.ts";

const filters: Readonly<Record<string, TagFunction | undefined>> = {
  lower: jinjaFilters["lower"],
  striptags: jinjaFilters["striptags"],
  title: jinjaFilters["title"],
  unsub: (_budget, value) => value,
  upper: jinjaFilters["upper"],
  url: jinjaFilters["urlencode"],
};

/** Condition between backticks, which the library does not read, in the tag of a block. */
const condition = /(\{\{~?(?:#if|#unless|else if)\s{1,9})`([^`{}\\]{1,1000})`/g;

const expressions = {
  filters: new Map(),
  functions: new Map(),
  spaces: null,
  isStrict: false,
};

/** Returns the helpers of the language; without an argument, the name of a filter is that of a variable. */
export const filterHelpers: HelpersOf = (budget) => ({
  ...Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => [
      name,
      function apply(this: unknown, ...values: readonly unknown[]): unknown {
        if (values.length === 1 || filter === undefined) return memberOf(this, name);
        return callCounted(filter, budget(), values.slice(0, 1));
      },
    ]),
  ),
  evaluate(this: unknown, text) {
    return evaluate(this, textOf(text, budget()), budget());
  },
});

function evaluate(data: unknown, text: string, budget: RenderBudget): unknown {
  const reader = new ExpressionReader(text, expressions);
  const expression = reader.read();
  reader.expectEnd();
  return expression({ data, locals: new Map(), budget });
}

const render = createHandlebars(filterHelpers);

/** Renders a source. */
export function renderFilterHandlebars(given: string, data: unknown, options: RenderOptions): string {
  const source = given.replaceAll(
    condition,
    (_tag, opening: string, text: string) => `${opening}(evaluate "${text.replaceAll('"', "'")}")`,
  );
  return render({ source, isStrict: false }, data, options);
}
