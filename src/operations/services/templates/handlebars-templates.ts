/** Handlebars, for SendGrid, Amazon SES and Mailgun. */
import Handlebars from "handlebars";
import { countOutput } from "./handlebars-output.ts";
import { extraHelpers, type Helper, type HelperOptions } from "./handlebars-functions.ts";
import { nestingMax, type RenderBudget } from "./render-budget.ts";
import { TemplateError } from "./template-error.ts";
import { memberCountOf } from "./template-values.ts";

/** Options of {@link renderHandlebars}. */
export interface HandlebarsOptions {
  readonly budget: RenderBudget;
  readonly isHtml: boolean;
}

/** Budget of the rendering under way; rendering is synchronous. */
let budgetInUse: RenderBudget | null = null;

const environment = createEnvironment();

/** Compiled sources, the most recent last: a batch has one template for many mails. */
const compiled = new Map<string, Handlebars.TemplateDelegate>();
const compiledCountMax = 20;

/** Renders a source. Prototypes are not accessible: the library only reads own members and calls registered helpers. */
export function renderHandlebars(source: string, data: unknown, options: HandlebarsOptions): string {
  return render(source, data, { ...options, isStrict: false });
}

/** Renders a source as {@link renderHandlebars}; throws for a variable without a value, except as the argument of a helper. */
export function renderStrictHandlebars(source: string, data: unknown, options: HandlebarsOptions): string {
  return render(source, data, { ...options, isStrict: true });
}

type RenderOptions = HandlebarsOptions & { readonly isStrict: boolean };

function render(source: string, data: unknown, { budget, ...options }: RenderOptions): string {
  budget.readTags(source, "{{", "}}");
  const template = compile(source, options);
  const before = budget.outputLength;
  budgetInUse = budget;
  try {
    // Denied by default; without these options the library logs each denial.
    const denied = { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false };
    const output = template(data, denied);
    budget.write(Math.max(0, output.length - (budget.outputLength - before)));
    return output;
  } finally {
    budgetInUse = null;
  }
}

function compile(
  source: string,
  { isHtml, isStrict }: Pick<RenderOptions, "isHtml" | "isStrict">,
): Handlebars.TemplateDelegate {
  const key = `${String(isHtml)} ${String(isStrict)} ${source}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  checkNesting(source);
  const template = environment.compile(source, { noEscape: !isHtml, strict: isStrict });
  compiled.set(key, template);
  const [oldest = key] = compiled.keys();
  if (compiled.size > compiledCountMax) compiled.delete(oldest);
  return template;
}

function createEnvironment(): typeof Handlebars {
  const own = Handlebars.create();
  // It would write to the log of the service.
  own.unregisterHelper("log");
  for (const [name, helper] of Object.entries({ ...own.helpers, ...extraHelpers(budgetOfRendering) })) {
    own.registerHelper(name, counted(helper as Helper));
  }
  countPartials(own);
  countOutput(own, budgetOfRendering);
  return own;
}

function budgetOfRendering(): RenderBudget {
  if (budgetInUse === null) throw new Error("a helper was called outside of a rendering");
  return budgetInUse;
}

/** The compiler takes quadratic time for nested blocks. */
function checkNesting(source: string): void {
  let depth = 0;
  for (const { 1: sign } of source.matchAll(/\{\{\{?~?\s{0,9}([#/]|\^(?=\s{0,9}\w))/g)) {
    depth += sign === "/" ? -1 : 1;
    if (depth > nestingMax) throw new TemplateError(`Blocks are nested deeper than ${String(nestingMax)}`);
  }
}

/** Returns a helper whose calls and blocks count against the budget, so that loops end. */
function counted(helper: Helper): Helper {
  return function call(this: unknown, ...values) {
    const budget = budgetOfRendering();
    budget.step();
    for (const value of values.slice(0, -1)) countMembers(value, budget);
    const options = values.at(-1) as HelperOptions;
    for (const name of ["fn", "inverse"] as const) {
      const block = options[name];
      if (block !== undefined) Object.assign(options, { [name]: countedBlock(block) });
    }
    return helper.apply(this, [...values]);
  };
}

/** Counts the members of an object, of which the library makes lists and copies; elements of a list stay where they are. */
function countMembers(value: unknown, budget: RenderBudget): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    budget.allocateElements(memberCountOf(value));
  }
}

type Block = (...values: readonly unknown[]) => string;

function countedBlock(block: Block): Block {
  const run: Block = (...values) => {
    const budget = budgetOfRendering();
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
function countPartials(own: typeof Handlebars): void {
  const { VM } = own;
  const invoke = (VM as unknown as { readonly invokePartial: Helper }).invokePartial;
  function invokePartial(this: unknown, ...values: readonly unknown[]): unknown {
    const budget = budgetOfRendering();
    budget.step();
    // A partial with arguments gets a copy of its context.
    countMembers(values[1], budget);
    return invoke.apply(this, [...values]);
  }
  Object.assign(own, { VM: { ...VM, invokePartial } });
}
