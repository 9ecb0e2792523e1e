/** Handlebars, for SendGrid, Amazon SES and Mailgun. */
import Handlebars from "handlebars";
import { nestingMax, type RenderBudget, type RenderOptions, TemplateError } from "./render-budget.ts";
import { countJson, escapeHtml, isTruthy, memberCountOf, numberOf, textOf } from "./template-values.ts";
import { formatDate, instantOf, offsetMinutesOf } from "./format-date.ts";

/** Functions by which a compiled template writes values. */
interface Container {
  escapeExpression: (value: unknown) => string;
  writeRaw: (value: unknown) => string;
}

/** Compiled template, as the compiler hands it to the runtime. */
interface TemplateSpecification {
  readonly main: (container: Container, ...rest: readonly unknown[]) => string;
}

/** The part of the compiler that decides how values are written. */
interface Compiler {
  compiler: new () => Compiler;
  append(): void;
  aliasable(name: string): unknown;
  popStack(): unknown;
  appendToBuffer(source: unknown): unknown;
  pushSource(source: unknown): void;
}

interface Library {
  JavaScriptCompiler: { new (): Compiler; readonly prototype: Compiler };
  template: (specification: TemplateSpecification) => unknown;
}

/** Makes templates of an environment write each value through the budget of the rendering. */
function countOutput(environment: typeof Handlebars, budget: () => RenderBudget): void {
  const library = environment as unknown as Library;
  const { JavaScriptCompiler, template } = library;
  class CountingCompiler extends JavaScriptCompiler {
    /** Writes a value that is not escaped, also the result of a block. */
    override append(): void {
      this.pushSource(this.appendToBuffer([this.aliasable("container.writeRaw"), "(", this.popStack(), ")"]));
    }
  }
  CountingCompiler.prototype.compiler = CountingCompiler;
  const writeRaw = (value: unknown): string => outputOf(value, budget());
  const escapeExpression = (value: unknown): string => escapeHtml(outputOf(value, budget()), budget());
  library.JavaScriptCompiler = CountingCompiler;
  library.template = (specification) =>
    template({
      ...specification,
      main: (container, ...rest) =>
        specification.main(Object.assign(container, { writeRaw, escapeExpression }), ...rest),
    });
}

/** Returns a value as the library writes it: "" for null and undefined, and elements of lists with commas between them. */
function outputOf(value: unknown, budget: RenderBudget): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (typeof value === "object") countJson(value, budget);
  // oxlint-disable-next-line typescript/no-base-to-string -- as the library does
  return String(value);
}

/** Blocks of a helper; absent when it is used inside of another tag. */
interface HelperOptions {
  readonly fn?: (context: unknown) => string;
  readonly inverse?: (context: unknown) => string;
}

/** Function that a template calls: the arguments of the tag, then the options. */
export type Helper = (this: unknown, ...values: readonly unknown[]) => unknown;

/** Returns helpers by name, which count what they make against the budget of the rendering. */
export type HelpersOf = (budget: () => RenderBudget) => Readonly<Record<string, Helper>>;

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

/** Budget of the rendering under way; rendering is synchronous. */
let budgetInUse: RenderBudget | null = null;

const compiledCountMax = 20;

/** Source of a template, and how it is compiled. */
export interface HandlebarsSource {
  readonly source: string;
  /** Whether a variable without a value is an error, except as the argument of a helper. */
  readonly isStrict: boolean;
}

/** Renders a source with data. */
type Renderer = (template: HandlebarsSource, data: unknown, options: RenderOptions) => string;

/**
 * Returns a renderer of Handlebars with these helpers besides its own. Prototypes are not accessible: the library only reads
 * own members and calls registered helpers.
 */
export function createHandlebars(helpersOf: HelpersOf): Renderer {
  const environment = createEnvironment(helpersOf);
  /** Compiled sources, the most recent last: a batch has one template for many mails. */
  const compiled = new Map<string, Handlebars.TemplateDelegate>();
  const compile = ({ source, isStrict }: HandlebarsSource, isHtml: boolean): Handlebars.TemplateDelegate => {
    const key = `${String(isHtml)} ${String(isStrict)} ${source}`;
    const known = compiled.get(key);
    if (known !== undefined) return known;
    checkNesting(source);
    const template = environment.compile(source, {
      noEscape: !isHtml,
      strict: isStrict,
    });
    compiled.set(key, template);
    const [oldest = key] = compiled.keys();
    if (compiled.size > compiledCountMax) compiled.delete(oldest);
    return template;
  };
  return (given, data, { budget, isHtml }) => {
    budget.readTags(given.source, "{{", "}}");
    const template = compile(given, isHtml);
    const before = budget.outputLength;
    budgetInUse = budget;
    try {
      // Denied by default; without these options the library logs each denial.
      const denied = {
        allowProtoPropertiesByDefault: false,
        allowProtoMethodsByDefault: false,
      };
      const output = template(data, denied);
      budget.write(Math.max(0, output.length - (budget.outputLength - before)));
      return output;
    } finally {
      budgetInUse = null;
    }
  };
}

const render = createHandlebars(extraHelpers);

/** Renders a source. */
export function renderHandlebars(source: string, data: unknown, options: RenderOptions): string {
  return render({ source, isStrict: false }, data, options);
}

/** Renders a source as {@link renderHandlebars}; throws for a variable without a value, except as the argument of a helper. */
export function renderStrictHandlebars(source: string, data: unknown, options: RenderOptions): string {
  return render({ source, isStrict: true }, data, options);
}

function createEnvironment(helpersOf: HelpersOf): typeof Handlebars {
  const own = Handlebars.create();
  // It would write to the log of the service.
  own.unregisterHelper("log");
  for (const [name, helper] of Object.entries({ ...own.helpers, ...helpersOf(budgetOfRendering) })) {
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
