/** Mustachio, the variant of Mustache of Postmark: `{{#each}}`, scopes that do not iterate, and paths. */
import { nestingMax, Output, type RenderOptions, TemplateError } from "./render-budget.ts";
import { escapeHtml, isTruthy, memberOf, textOf } from "./template-values.ts";

type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly path: Path; readonly isRaw: boolean }
  | { readonly kind: "each" | "scope" | "inverted"; readonly path: Path; readonly body: readonly Node[] };

/** Steps up to outer scopes, then names of members. */
interface Path {
  readonly upCount: number;
  readonly names: readonly string[];
}

/** Values of the scopes, innermost first. */
interface Scope {
  readonly value: unknown;
  readonly outer: Scope | null;
}

/** Renders a source. */
export function renderMustache(source: string, data: unknown, { budget, isHtml }: RenderOptions): string {
  budget.readTags(source, "{{", "}}");
  const output = new Output(budget);
  const write = (nodes: readonly Node[], scope: Scope): void => {
    for (const node of nodes) {
      budget.step();
      if (node.kind === "text") {
        output.write(node.text);
        continue;
      }
      const value = valueOf(node.path, scope);
      if (node.kind === "value") {
        const text = textOf(value, budget);
        output.write(isHtml && !node.isRaw ? escapeHtml(text, budget) : text);
      } else if (node.kind === "each") {
        for (const item of itemsOf(value)) {
          budget.step();
          write(node.body, { value: item, outer: scope });
        }
      } else if (node.kind === "scope") {
        if (isTruthy(value)) write(node.body, { value, outer: scope });
      } else if (!isTruthy(value)) write(node.body, scope);
    }
  };
  write(parse(source), { value: data, outer: null });
  return output.toString();
}

function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new TemplateError("'each' is used on a value that is not a list");
  return value;
}

function valueOf({ upCount, names }: Path, scope: Scope): unknown {
  let at: Scope | null = scope;
  for (let step = 0; step < upCount && at !== null; step += 1) at = at.outer;
  return at === null ? undefined : names.reduce(memberOf, at.value);
}

interface Block {
  readonly name: string;
  readonly line: number;
  readonly body: Node[];
}

function parse(source: string): readonly Node[] {
  const root: Block = { name: "", line: 1, body: [] };
  const open: Block[] = [root];
  let end = 0;
  let line = 1;
  for (let start = source.indexOf("{{"); start !== -1; start = source.indexOf("{{", end)) {
    const isTriple = source.startsWith("{{{", start);
    const close = source.indexOf(isTriple ? "}}}" : "}}", start);
    if (close === -1) throw new TemplateError(`The tag in line ${String(line)} is not closed`);
    const text = source.slice(end, start);
    line += text.split("\n").length - 1;
    if (text !== "") (open.at(-1) ?? root).body.push({ kind: "text", text });
    readTag(source.slice(start + (isTriple ? 3 : 2), close).trim(), { isTriple, line, open });
    end = close + (isTriple ? 3 : 2);
  }
  const block = open.at(-1) ?? root;
  if (block !== root) throw new TemplateError(`The block '${block.name}' in line ${String(block.line)} is not closed`);
  root.body.push({ kind: "text", text: source.slice(end) });
  return root.body;
}

interface TagContext {
  readonly isTriple: boolean;
  readonly line: number;
  readonly open: Block[];
}

function readTag(tag: string, { isTriple, line, open }: TagContext): void {
  const sign = isTriple ? "{" : (tag[0] ?? "");
  const rest = tag.slice(1).trim();
  if (sign === "!") return;
  if (sign === "/") closeBlock(rest, line, open);
  else if (sign === "#" || sign === "^") openBlock(sectionOf(sign, rest), line, open);
  else {
    const isRaw = isTriple || sign === "&";
    open.at(-1)?.body.push({ kind: "value", path: pathOf(sign === "&" ? rest : tag, line), isRaw });
  }
}

function closeBlock(name: string, line: number, open: Block[]): void {
  const block = open.pop();
  if (open.length > 0 && block?.name === name) return;
  throw new TemplateError(`'/${name.slice(0, 100)}' in line ${String(line)} closes no open block`);
}

function openBlock({ kind, name, path }: Section, line: number, open: Block[]): void {
  if (open.length > nestingMax) throw new TemplateError(`Blocks are nested deeper than ${String(nestingMax)}`);
  const body: Node[] = [];
  open.at(-1)?.body.push({ kind, path: pathOf(path, line), body });
  open.push({ name, line, body });
}

interface Section {
  readonly kind: "each" | "scope" | "inverted";
  readonly name: string;
  readonly path: string;
}

function sectionOf(sign: string, rest: string): Section {
  if (sign === "^") return { kind: "inverted", name: rest, path: rest };
  const isEach = /^each(?:\s|$)/.test(rest);
  return isEach
    ? { kind: "each", name: "each", path: rest.slice(4).trim() }
    : { kind: "scope", name: rest, path: rest };
}

const pathLengthMax = 1000;

function pathOf(text: string, line: number): Path {
  if (text.length > pathLengthMax) throw new TemplateError(`The path in line ${String(line)} is too long`);
  const ups = /^(?:\.\.\/)*/.exec(text)?.[0].length ?? 0;
  const rest = text.slice(ups);
  if (rest === "." || rest === "this") return { upCount: ups / 3, names: [] };
  if (!/^@?[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*$/u.test(rest)) {
    throw new TemplateError(`The path '${text.slice(0, 100)}' in line ${String(line)} is not valid`);
  }
  return { upCount: ups / 3, names: rest.split(".") };
}
