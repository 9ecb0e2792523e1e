/** Handlebars, for SendGrid, Amazon SES and Mailgun. */
import Handlebars from "handlebars";
import { extraHelpers, type Helper, type HelperOptions } from "./handlebars-functions.ts";
import { nestingMax, type RenderBudget } from "./render-budget.ts";
import { TemplateError } from "./template-error.ts";

/** Options of {@link renderHandlebars}. */
export interface HandlebarsOptions {
  readonly budget: RenderBudget;
  readonly isHtml: boolean;
}

/** Renders a source. Prototypes are not accessible: the library only reads own members and calls registered helpers. */
export function renderHandlebars(source: string, data: unknown, options: HandlebarsOptions): string {
  return render(source, data, { ...options, isStrict: false });
}

/** Renders a source as {@link renderHandlebars}; throws for a variable without a value, except as the argument of a helper. */
export function renderStrictHandlebars(source: string, data: unknown, options: HandlebarsOptions): string {
  return render(source, data, { ...options, isStrict: true });
}

function render(
  source: string,
  data: unknown,
  { budget, isHtml, isStrict }: HandlebarsOptions & { readonly isStrict: boolean },
): string {
  budget.readTags(source, "{{", "}}");
  checkNesting(source);
  const environment = Handlebars.create();
  // It would write to the log of the service.
  environment.unregisterHelper("log");
  for (const [name, helper] of Object.entries({ ...environment.helpers, ...extraHelpers })) {
    environment.registerHelper(name, counted(helper as Helper, budget));
  }
  countPartials(environment, budget);
  const before = budget.outputLength;
  // Denied by default; without these options the library logs each denial.
  const denied = { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false };
  const output = environment.compile(source, { noEscape: !isHtml, strict: isStrict })(data, denied);
  budget.write(Math.max(0, output.length - (budget.outputLength - before)));
  return output;
}

/** The compiler takes quadratic time for nested blocks. */
function checkNesting(source: string): void {
  let depth = 0;
  for (const { 1: sign } of source.matchAll(/\{\{\{?~?\s{0,9}([#/]|\^(?=\s{0,9}\w))/g)) {
    depth += sign === "/" ? -1 : 1;
    if (depth > nestingMax) throw new TemplateError(`Blocks are nested deeper than ${String(nestingMax)}`);
  }
}

/** Returns a helper whose blocks count against the budget, so that loops end. */
function counted(helper: Helper, budget: RenderBudget): Helper {
  return function call(this: unknown, ...values) {
    const options = values.at(-1) as HelperOptions;
    for (const name of ["fn", "inverse"] as const) {
      const block = options[name];
      if (block !== undefined) Object.assign(options, { [name]: countedBlock(block, budget) });
    }
    return helper.apply(this, [...values]);
  };
}

type Block = (...values: readonly unknown[]) => string;

function countedBlock(block: Block, budget: RenderBudget): Block {
  const run: Block = (...values) => {
    budget.step();
    const before = budget.outputLength;
    const output = block(...values);
    // Blocks inside have counted their part.
    budget.write(Math.max(0, output.length - (budget.outputLength - before)));
    return output;
  };
  // The library keeps properties such as `blockParams` on its blocks.
  return Object.assign(run, block);
}

/** Counts calls of partials, which a template defines by `{{#*inline}}` and which may call themselves. */
function countPartials(environment: typeof Handlebars, budget: RenderBudget): void {
  const { VM } = environment;
  const invoke = (VM as unknown as { readonly invokePartial: Helper }).invokePartial;
  function invokePartial(this: unknown, ...values: readonly unknown[]): unknown {
    budget.step();
    return invoke.apply(this, [...values]);
  }
  Object.assign(environment, { VM: { ...VM, invokePartial } });
}
