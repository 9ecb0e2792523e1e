/** Expressions in the tags of template languages with `{{ … }}` and `{% … %}`. */
import { nestingMax, type RenderBudget, TemplateError } from "./render-budget.ts";
import { levels, type Operation, isTruthy, memberOf, numberOf, SafeText, textOf } from "./template-values.ts";

/** Token; the text of a string is without its quotes. */
interface Token {
  readonly kind: "name" | "number" | "string" | "sign";
  readonly text: string;
}

const pattern =
  /\s*(?:(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<number>\d+(?:\.\d+)?)|"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>(?:[^'\\]|\\.)*)'|(?<sign>===|==|!=|<>|<=|>=|&&|\|\||[<>=!+\-*/%()[\].,:|]))/suy;

/** Returns the tokens of a text. Throws a {@link TemplateError} for a character that starts none. */
function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const trimmed = text.trim();
  pattern.lastIndex = 0;
  for (let end = 0; end < trimmed.length; end = pattern.lastIndex) {
    const groups = pattern.exec(trimmed)?.groups;
    if (groups === undefined) throw new TemplateError(`unexpected '${trimmed.slice(end, end + 20).trim()}'`);
    tokens.push(tokenOf(groups));
  }
  return tokens;
}

function tokenOf(groups: Readonly<Record<string, string | undefined>>): Token {
  const { name, number, double, single, sign = "" } = groups;
  if (name !== undefined) return { kind: "name", text: name };
  if (number !== undefined) return { kind: "number", text: number };
  const quoted = double ?? single;
  return quoted === undefined
    ? { kind: "sign", text: sign }
    : { kind: "string", text: quoted.replaceAll(/\\(.)/gs, "$1") };
}

/** Variables of a template. */
export interface TagScope {
  readonly data: unknown;
  /** Variables of loops and assignments. */
  readonly locals: ReadonlyMap<string, unknown>;
  readonly budget: RenderBudget;
}

/** Compiled expression. */
export type Expression = (scope: TagScope) => unknown;

/**
 * Function of a language: a filter with its value first, or a function. Its values are counted before the call and its
 * result after it; whatever makes more than these counts it before.
 */
export type TagFunction = (budget: RenderBudget, ...values: readonly unknown[]) => unknown;

/** Differences between the languages. */
export interface ExpressionDialect {
  /** Applied by `value|name:argument` or `value|name(argument)`. */
  readonly filters: ReadonlyMap<string, TagFunction>;
  /** Called by `Name(argument, …)`; names in lower case. */
  readonly functions: ReadonlyMap<string, TagFunction>;
  /** Returns the value of `space:name`; `undefined` for an unknown variable. Null without namespaces. */
  readonly spaces: ((space: string, data: unknown) => unknown) | null;
  /** Whether an unknown variable is an error. */
  readonly isStrict: boolean;
  /** Whether `or` returns the first value that is true, else the last, so that it sets a default; absent: whether any is true. */
  readonly orReturnsValue?: boolean;
}

const spaceNames = new Set(["var", "data", "mj"]);
const constants = new Map<string, unknown>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
  ["null", null],
  ["nil", null],
]);

function evaluate(expressions: readonly Expression[], scope: TagScope): readonly unknown[] {
  return expressions.map((expression) => expression(scope));
}

/** Calls a function, and counts its values and its result. */
export function callCounted(call: TagFunction, budget: RenderBudget, values: readonly unknown[]): unknown {
  budget.step();
  for (const value of values) countValue(value, budget);
  const result = call(budget, ...values);
  countValue(result, budget);
  return result;
}

function countValue(value: unknown, budget: RenderBudget): void {
  if (typeof value === "string") budget.allocate(value.length);
  else if (value instanceof SafeText) budget.allocate(value.text.length);
  else if (Array.isArray(value)) budget.allocate(value.length);
}

/** Reads expressions from the text of one tag. */
export class ExpressionReader {
  readonly #dialect: ExpressionDialect;
  readonly #tokens: readonly Token[];
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string, dialect: ExpressionDialect) {
    this.#dialect = dialect;
    this.#text = text;
    this.#tokens = readTokens(text);
  }

  /** Reads a whole expression. */
  read(): Expression {
    this.#depth += 1;
    if (this.#depth > nestingMax) throw this.error(`nested deeper than ${String(nestingMax)}`);
    const expression = this.#readLevel(0);
    this.#depth -= 1;
    return expression;
  }

  /** Returns whether the next token is this sign or word, and skips it. */
  take(text: string): boolean {
    const token = this.#tokens[this.#at];
    const isNext = token?.text === text && token.kind !== "string";
    if (isNext) this.#at += 1;
    return isNext;
  }

  /** Reads a name. */
  readName(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "name") throw this.error("a name is expected");
    this.#at += 1;
    return token.text;
  }

  /** Throws unless everything was read. */
  expectEnd(): void {
    const token = this.#tokens[this.#at];
    if (token !== undefined) throw this.error(`unexpected '${token.text.slice(0, 50)}'`);
  }

  /** Returns an error that quotes the tag. */
  error(reason: string): TemplateError {
    return new TemplateError(`expression parsing error ## ${reason} ## near ## ${this.#text.trim().slice(0, 100)} ##`);
  }

  #readLevel(level: number): Expression {
    const operations = levels[level];
    if (operations === undefined) return this.#readUnary();
    let left = level === 2 ? this.#readNot(level) : this.#readLevel(level + 1);
    for (
      let operation = this.#operation(operations);
      operation !== undefined;
      operation = this.#operation(operations)
    ) {
      const [apply, first, second] = [operation, left, this.#readLevel(level + 1)];
      left = (scope) => apply(first(scope), second(scope), scope.budget);
    }
    return left;
  }

  #readNot(level: number): Expression {
    let notCount = 0;
    while (this.take("not") || this.take("!")) notCount += 1;
    if (notCount === 0) return this.#readLevel(level + 1);
    const expression = this.#readLevel(level);
    return (scope) => isTruthy(expression(scope)) === (notCount % 2 === 0);
  }

  #operation(operations: Readonly<Record<string, Operation>>): Operation | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || token.kind === "string" || token.kind === "number") return undefined;
    const isNotIn = token.text === "not" && this.#tokens[this.#at + 1]?.text === "in";
    const name = isNotIn ? "not in" : token.text;
    if (!Object.hasOwn(operations, name)) return undefined;
    this.#at += isNotIn ? 2 : 1;
    if (name === "or" && this.#dialect.orReturnsValue === true) return (a, b) => (isTruthy(a) ? a : b);
    return operations[name];
  }

  #readUnary(): Expression {
    let isNegative = false;
    while (this.take("-")) isNegative = !isNegative;
    const value = this.#readFilters(this.#readPath(this.#readPrimary()));
    return isNegative ? (scope) => -numberOf(value(scope)) : value;
  }

  #readPrimary(): Expression {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token === undefined) throw this.error("the expression is incomplete");
    if (token.kind === "string") return () => token.text;
    if (token.kind === "number") return () => Number(token.text);
    if (token.kind === "name") return this.#readNamed(token.text);
    if (token.text !== "(") throw this.error(`unexpected '${token.text}'`);
    const inner = this.read();
    if (!this.take(")")) throw this.error("')' is missing");
    return inner;
  }

  #readNamed(name: string): Expression {
    const { spaces, functions, isStrict } = this.#dialect;
    if (constants.has(name)) return () => constants.get(name);
    if (spaces !== null && spaceNames.has(name) && this.take(":")) return this.#readSpaced(name);
    const call = functions.get(name.toLowerCase());
    if (call !== undefined && this.take("(")) {
      const values = this.#readArguments();
      return (scope) => callCounted(call, scope.budget, evaluate(values, scope));
    }
    return ({ data, locals }) => {
      if (locals.has(name)) return locals.get(name);
      if (isStrict) throw this.error(`Unknown identifier: ${name}`);
      return memberOf(data, name);
    };
  }

  /** Reads `name`, members, and a default after a colon. */
  #readSpaced(space: string): Expression {
    const { spaces } = this.#dialect;
    const name = this.readName();
    const value = this.#readPath(({ data }) => memberOf(spaces?.(space, data), name));
    if (!this.take(":")) {
      return (scope) => {
        const known = value(scope);
        if (known === undefined && space === "var") throw this.error(`Unknown identifier: ${space}:${name}`);
        return known;
      };
    }
    const token = this.#tokens[this.#at];
    const fallback = token?.kind === "name" ? (): string => token.text : this.#readPrimary();
    if (token?.kind === "name") this.#at += 1;
    return (scope) => value(scope) ?? fallback(scope);
  }

  #readArguments(): readonly Expression[] {
    const values: Expression[] = [];
    if (this.take(")")) return values;
    do values.push(this.read());
    while (this.take(","));
    if (!this.take(")")) throw this.error("')' is missing");
    return values;
  }

  #readPath(start: Expression): Expression {
    let value = start;
    for (;;) {
      const object = value;
      if (this.take(".")) {
        const token = this.#tokens[this.#at];
        if (token === undefined || token.kind === "sign") throw this.error("a name is expected");
        this.#at += 1;
        value = (scope) => memberOf(object(scope), token.text);
      } else if (this.take("[")) {
        const index = this.read();
        if (!this.take("]")) throw this.error("']' is missing");
        value = (scope) => memberOf(object(scope), textOf(index(scope), scope.budget));
      } else return value;
    }
  }

  #readFilters(start: Expression): Expression {
    let value = start;
    while (this.take("|")) {
      const name = this.readName();
      const filter = this.#dialect.filters.get(name);
      if (filter === undefined) throw this.error(`Filter '${name}' not found`);
      const values = this.take(":")
        ? [this.#readPath(this.#readPrimary())]
        : this.take("(")
          ? this.#readArguments()
          : [];
      const input = value;
      value = (scope) => callCounted(filter, scope.budget, evaluate([input, ...values], scope));
    }
    return value;
  }
}
