/** Template languages with `{{ output }}` and `{% tag %}`: parser and renderer. */
import { nestingMax, Output, type RenderBudget, type RenderTemplate, TemplateError } from "./render-budget.ts";
import { splitTags, type TagChunk } from "./tag-chunks.ts";
import { ExpressionReader, type Expression, type ExpressionDialect } from "./tag-expressions.ts";
import { escapeHtml, isTruthy, memberCountOf, memberOf, SafeText, textOf } from "./template-values.ts";

/** Differences between the languages. */
interface TagDialect extends ExpressionDialect {
  /** Names of the tag that starts the next condition of an `if`. */
  readonly elseIf: readonly string[];
  /** Whether values are escaped in HTML. */
  readonly escapes: boolean;
  /** Whether `{# … #}` is a comment. */
  readonly hasComments: boolean;
  /**
   * Splits a source with other delimiters into texts and tags, which are written as those of `{{ … }}` and `{% … %}`, and
   * counts the tags. Absent: the tags of the language have these delimiters.
   */
  readonly split?: (source: string, budget: RenderBudget) => readonly TagChunk[];
}

interface Rendering {
  readonly output: Output;
  readonly budget: RenderBudget;
  readonly isEscaped: boolean;
  readonly scope: { readonly data: unknown; readonly locals: Map<string, unknown>; readonly budget: RenderBudget };
}

type Node = (rendering: Rendering) => void;

/** Returns the function that renders sources of a dialect. */
export function tagRenderer(dialect: TagDialect): RenderTemplate {
  return (source, data, { budget, isHtml }) => {
    const output = new Output(budget);
    const chunks = dialect.split?.(source, budget) ?? splitTags(source, budget, dialect.hasComments);
    const body = new TagParser(chunks, dialect).parse();
    const isEscaped = isHtml && dialect.escapes;
    run(body, { output, budget, isEscaped, scope: { data, locals: new Map(), budget } });
    return output.toString();
  };
}

function run(nodes: readonly Node[], rendering: Rendering): void {
  for (const node of nodes) {
    rendering.budget.step();
    node(rendering);
  }
}

/** Parser of one source. */
class TagParser {
  readonly #dialect: TagDialect;
  readonly #chunks: readonly TagChunk[];
  #at = 0;
  #depth = 0;

  constructor(chunks: readonly TagChunk[], dialect: TagDialect) {
    this.#dialect = dialect;
    this.#chunks = chunks;
  }

  parse(): readonly Node[] {
    const { nodes, ending } = this.#readUntil([]);
    if (ending !== null) throw new TemplateError(`not valid template ## near ## ${ending.name} ##`);
    return nodes;
  }

  /** Reads nodes up to a tag of these names; `ending` is null at the end of the source. */
  #readUntil(names: readonly string[]): { readonly nodes: readonly Node[]; readonly ending: Tag | null } {
    this.#depth += 1;
    if (this.#depth > nestingMax) throw new TemplateError(`Tags are nested deeper than ${String(nestingMax)}`);
    const nodes: Node[] = [];
    for (;;) {
      const chunk = this.#chunks[this.#at];
      this.#at += 1;
      if (chunk === undefined) break;
      if (chunk.kind === "text") nodes.push(textNode(chunk.text));
      else if (chunk.kind === "output") nodes.push(this.#outputNode(chunk.text));
      else {
        const tag = tagOf(chunk.text);
        if (names.includes(tag.name)) {
          this.#depth -= 1;
          return { nodes, ending: tag };
        }
        nodes.push(this.#tagNode(tag));
      }
    }
    if (names.length > 0) throw new TemplateError(`not valid template ## '${names.at(-1) ?? ""}' is missing ##`);
    return { nodes, ending: null };
  }

  #expression(text: string): Expression {
    const reader = new ExpressionReader(text, this.#dialect);
    const expression = reader.read();
    reader.expectEnd();
    return expression;
  }

  #outputNode(text: string): Node {
    const expression = this.#expression(text);
    return ({ output, scope, isEscaped, budget }) => {
      const value = expression(scope);
      const text = textOf(value, budget);
      output.write(isEscaped && !(value instanceof SafeText) ? escapeHtml(text, budget) : text);
    };
  }

  #tagNode(tag: Tag): Node {
    if (tag.name === "if") return this.#ifNode(tag);
    if (tag.name === "for") return this.#forNode(tag);
    if (tag.name === "set") return this.#setNode(tag);
    if (tag.name === "autoescape" && this.#dialect.hasComments) return this.#autoescapeNode(tag);
    throw new TemplateError(`Tag '${tag.name.slice(0, 50)}' not found`);
  }

  #ifNode(tag: Tag): Node {
    const { elseIf } = this.#dialect;
    const branches: { readonly condition: Expression; readonly body: readonly Node[] }[] = [];
    let otherwise: readonly Node[] = [];
    for (let next: Tag | null = tag; next !== null && next.name !== "endif";) {
      const isElse = next.name === "else";
      const condition = isElse ? (): boolean => true : this.#expression(next.rest);
      const { nodes, ending } = this.#readUntil(isElse ? ["endif"] : [...elseIf, "else", "endif"]);
      if (isElse) otherwise = nodes;
      else branches.push({ condition, body: nodes });
      next = ending;
    }
    return (rendering) => {
      const branch = branches.find(({ condition }) => isTruthy(condition(rendering.scope)));
      run(branch?.body ?? otherwise, rendering);
    };
  }

  #forNode({ rest }: Tag): Node {
    const reader = new ExpressionReader(rest, this.#dialect);
    const names = [reader.readName()];
    if (reader.take(",")) names.push(reader.readName());
    if (!reader.take("in")) throw reader.error("'in' is expected");
    const list = reader.read();
    const isReversed = reader.take("reversed");
    reader.expectEnd();
    const { nodes, ending } = this.#readUntil(["empty", "else", "endfor"]);
    const empty = ending?.name === "endfor" ? [] : this.#readUntil(["endfor"]).nodes;
    const { isStrict } = this.#dialect;
    return (rendering) => {
      const items = itemsOf(list(rendering.scope), { names, isStrict, rest, budget: rendering.budget });
      if (items.count === 0) run(empty, rendering);
      runLoop(isReversed ? reversed(items) : items, { names, nodes, rendering });
    };
  }

  #setNode({ rest }: Tag): Node {
    const reader = new ExpressionReader(rest, this.#dialect);
    const name = reader.readName();
    if (!reader.take("=")) throw reader.error("'=' is expected");
    const expression = reader.read();
    reader.expectEnd();
    return ({ scope }) => void scope.locals.set(name, expression(scope));
  }

  #autoescapeNode({ rest }: Tag): Node {
    const { nodes } = this.#readUntil(["endautoescape"]);
    const isOff = rest === "off" || rest === "false";
    return (rendering) => run(nodes, { ...rendering, isEscaped: rendering.isEscaped && !isOff });
  }
}

interface Tag {
  readonly name: string;
  readonly rest: string;
}

function tagOf(text: string): Tag {
  const trimmed = text.trim();
  const end = trimmed.search(/\s/);
  return end === -1 ? { name: trimmed, rest: "" } : { name: trimmed.slice(0, end), rest: trimmed.slice(end).trim() };
}

function textNode(text: string): Node {
  return ({ output }) => output.write(text);
}

/** Values of the variables of each iteration. */
interface Items {
  readonly count: number;
  readonly at: (index: number) => readonly unknown[];
}

interface ItemOptions {
  readonly names: readonly string[];
  readonly isStrict: boolean;
  readonly rest: string;
  readonly budget: RenderBudget;
}

/** Returns the items of a list or an object; makes no list for each of them. */
function itemsOf(value: unknown, { names, isStrict, rest, budget }: ItemOptions): Items {
  const isPair = names.length > 1;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return {
      count: list.length,
      at: (index) => (isPair ? [memberOf(list[index], "0"), memberOf(list[index], "1")] : [list[index]]),
    };
  }
  if (isStrict) throw new TemplateError(`"${rest.slice(0, 100)}" is not an array value`);
  if (typeof value !== "object" || value === null) return { count: 0, at: () => [] };
  budget.allocateElements(memberCountOf(value));
  const keys = Object.keys(value);
  return { count: keys.length, at: (index) => [keys[index], memberOf(value, keys[index] ?? "")] };
}

function reversed({ count, at }: Items): Items {
  return { count, at: (index) => at(count - 1 - index) };
}

interface Loop {
  readonly names: readonly string[];
  readonly nodes: readonly Node[];
  readonly rendering: Rendering;
}

/** Runs a body for each item. Assignments inside the loop stay, as in the languages. */
function runLoop({ count, at }: Items, { names, nodes, rendering }: Loop): void {
  const { locals } = rendering.scope;
  const own = ["forloop", "loop", ...names];
  const outer = own.map((name) => [name, locals.has(name), locals.get(name)] as const);
  for (let index = 0; index < count; index += 1) {
    rendering.budget.step();
    const [isFirst, isLast] = [index === 0, index === count - 1];
    const [counter, counter0, revcounter] = [index + 1, index, count - index];
    const lower = { counter, counter0, revcounter, first: isFirst, last: isLast };
    const upper = { Counter: counter, Counter0: counter0, Revcounter: revcounter, First: isFirst, Last: isLast };
    locals.set("forloop", { ...lower, ...upper });
    locals.set("loop", { index: counter, index0: index, first: isFirst, last: isLast, length: count });
    const values = at(index);
    for (const [place, name] of names.entries()) locals.set(name, values[place]);
    run(nodes, rendering);
  }
  for (const [name, isKnown, value] of outer) {
    if (isKnown) locals.set(name, value);
    else locals.delete(name);
  }
}
