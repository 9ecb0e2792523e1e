/** Templates with nothing but `{{{NAME}}}` and `{{{NAME|fallback}}}`, as Resend has them. */
import { Output, type RenderBudget } from "./render-budget.ts";
import { isTruthy, memberOf, textOf } from "./template-values.ts";

const variable = /\{\{\{\s*([\p{L}_][\p{L}\p{N}_.]{0,199})\s{0,9}(?:\|([^{}]{0,999}))?\}\}\}/gu;

/** Renders a source; values are inserted as they are, also into HTML. */
export function renderVariables(source: string, data: unknown, { budget }: { readonly budget: RenderBudget }): string {
  budget.readTags(source, "{{{", "}}}");
  const output = new Output(budget);
  let end = 0;
  for (const { 0: tag, 1: name = "", 2: fallback, index } of source.matchAll(variable)) {
    const whole = memberOf(data, name);
    const value = whole ?? name.split(".").reduce(memberOf, data);
    output.write(source.slice(end, index));
    output.write(isTruthy(value) || fallback === undefined ? textOf(value, budget) : fallback.trim());
    end = index + tag.length;
  }
  output.write(source.slice(end));
  return output.toString();
}
