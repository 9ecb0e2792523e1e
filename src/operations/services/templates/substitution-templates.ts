/** Substitution language of SparkPost: `{{name or "you"}}`, `{{{html}}}`, `{{if}}`, `{{elseif}}`, `{{else}}`, `{{each}}`, `{{end}}`. */
import type { RenderBudget } from "./render-budget.ts";
import type { TagChunk } from "./tag-chunks.ts";
import type { TagFunction } from "./tag-expressions.ts";
import { renderTags, type TagDialect } from "./tag-templates.ts";
import { TemplateError } from "./template-error.ts";
import { isTruthy, SafeText, textOf } from "./template-values.ts";

const sizes = ["single", "double", "triple"];
/** Macros that write curly braces, which the language would read otherwise. */
const curlies: readonly (readonly [string, TagFunction])[] = sizes.flatMap((size, at) => [
  [`opening_${size}_curly`, () => "{".repeat(at + 1)],
  [`closing_${size}_curly`, () => "}".repeat(at + 1)],
]);

const safe: TagFunction = (budget, value) => new SafeText(textOf(value, budget));

const dialect: TagDialect = {
  filters: new Map([["safe", safe]]),
  functions: new Map<string, TagFunction>([
    ...curlies,
    ["empty", (_budget, value) => !isTruthy(value)],
    ["render_dynamic_content", safe],
  ]),
  spaces: null,
  isStrict: false,
  orReturnsValue: true,
  elseIf: ["elseif"],
  escapes: true,
  hasComments: false,
  split: splitSubstitutions,
};

/** Renders a source. */
export function renderSubstitutions(
  source: string,
  data: unknown,
  options: { readonly budget: RenderBudget; readonly isHtml: boolean },
): string {
  return renderTags(source, data, { ...options, dialect });
}

function splitSubstitutions(source: string, budget: RenderBudget): readonly TagChunk[] {
  budget.readTags(source, "{{", "}}");
  const chunks: TagChunk[] = [];
  /** Blocks that are open, by the name with which the parser ends them. */
  const open: string[] = [];
  let end = 0;
  for (let start = source.indexOf("{{"); start !== -1; start = source.indexOf("{{", end)) {
    const isRaw = source.startsWith("{{{", start);
    const [opening, closing] = isRaw ? ["{{{", "}}}"] : ["{{", "}}"];
    const close = source.indexOf(closing, start + opening.length);
    if (close === -1) throw new TemplateError(`'${closing}' is missing after ${source.slice(start, start + 50)}`);
    if (start > end) chunks.push({ kind: "text", text: source.slice(end, start) });
    const inside = source.slice(start + opening.length, close).trim();
    chunks.push(isRaw ? { kind: "output", text: `(${inside})|safe` } : chunkOf(inside, open));
    end = close + closing.length;
  }
  return [...chunks, { kind: "text", text: source.slice(end) }];
}

function chunkOf(inside: string, open: string[]): TagChunk {
  const [, word = "", rest = ""] = /^([a-z]+)\b(.*)$/s.exec(inside) ?? [];
  switch (word) {
    case "if":
      open.push("endif");
      return { kind: "tag", text: inside };
    case "each":
      open.push("endfor");
      return { kind: "tag", text: `for loop_var in ${rest.trim()}` };
    case "elseif":
    case "else":
      if (open.at(-1) !== "endif") throw new TemplateError(`'${word}' belongs to no 'if'`);
      return { kind: "tag", text: inside };
    case "end":
      return { kind: "tag", text: open.pop() ?? inside };
    default:
      return { kind: "output", text: inside };
  }
}
