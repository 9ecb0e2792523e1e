/** Counts what compiled templates of Handlebars write, before it is made. */
import type Handlebars from "handlebars";
import type { RenderBudget } from "./render-budget.ts";
import { countJson, escapeHtml } from "./template-values.ts";

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
export function countOutput(environment: typeof Handlebars, budget: () => RenderBudget): void {
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
