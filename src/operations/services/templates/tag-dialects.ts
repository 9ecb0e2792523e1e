/** Small languages: substitutions of SparkPost, merge tags of Mailchimp, the tags of Mailjet, and the variables of Resend. */
import { Output, type RenderBudget, type RenderTemplate, TemplateError } from "./render-budget.ts";
import type { TagChunk } from "./tag-chunks.ts";
import type { TagFunction } from "./tag-expressions.ts";
import { tagRenderer } from "./tag-templates.ts";
import { isTruthy, SafeText, textOf, escapeHtml, numberOf, replaceText, memberOf } from "./template-values.ts";
import { jinjaFilters } from "./jinja-templates.ts";

// Substitution language of SparkPost: `{{name or "you"}}`, `{{{html}}}`, `{{if}}`, `{{elseif}}`, `{{else}}`, `{{each}}`, `{{end}}`.

const sizes = ["single", "double", "triple"];
/** Macros that write curly braces, which the language would read otherwise. */
const curlies: readonly (readonly [string, TagFunction])[] = sizes.flatMap((size, at) => [
  [`opening_${size}_curly`, () => "{".repeat(at + 1)],
  [`closing_${size}_curly`, () => "}".repeat(at + 1)],
]);

const safe: TagFunction = (budget, value) => new SafeText(textOf(value, budget));

/** Renders a source of SparkPost. */
export const renderSubstitutions: RenderTemplate = tagRenderer({
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
});

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

// Merge tags of Mailchimp: `*|NAME|*`, `*|UPPER:NAME|*`, `*|IF:NAME=value|*`. Values are inserted as they are, also into HTML.

/** Functions before the name of a variable. */
export const mergeTagFunctions: Readonly<Record<string, TagFunction>> = {
  html: (budget, value) => escapeHtml(textOf(value, budget), budget),
  lower: (budget, value) => textOf(value, budget).toLowerCase(),
  title: (budget, value) => jinjaFilters["title"]?.(budget, value),
  upper: (budget, value) => textOf(value, budget).toUpperCase(),
  url: (budget, value) => jinjaFilters["urlencode"]?.(budget, value),
};

/** A tag has no pipe inside, so that a search for its end reads no text twice. */
const mergeTag = /\*\|([^|]{1,2000})\|\*/g;
const condition = /^(\w{1,200})\s{0,9}(?:(!=|>=|<=|=|>|<)(.*))?$/s;

/** Starts the names of variables in expressions, where those of the language may be words or start with a digit. */
const prefix = "V";

const renderNamed = tagRenderer({
  filters: new Map(Object.entries(mergeTagFunctions)),
  functions: new Map(),
  spaces: null,
  isStrict: false,
  elseIf: ["elseif"],
  escapes: false,
  hasComments: false,
  split: splitMergeTags,
});

/** Renders a source; letter case does not distinguish the names of variables. */
export const renderMergeTags: RenderTemplate = (source, data, options) => {
  const given = typeof data === "object" && data !== null ? Object.entries(data) : [];
  options.budget.allocateElements(given.length);
  const values = Object.fromEntries(given.map(([name, value]) => [prefix + name.toUpperCase(), value as unknown]));
  return renderNamed(source, values, options);
};

/** Tags of another form stay in the text. */
function splitMergeTags(source: string, budget: RenderBudget): readonly TagChunk[] {
  budget.readTags(source, "*|", "|*");
  const chunks: TagChunk[] = [];
  let end = 0;
  for (const { 0: whole, 1: inside = "", index } of source.matchAll(mergeTag)) {
    const tag = tagOf(inside.trim());
    if (tag === undefined) continue;
    chunks.push({ kind: "text", text: source.slice(end, index) }, tag);
    end = index + whole.length;
  }
  return [...chunks, { kind: "text", text: source.slice(end) }];
}

function tagOf(inside: string): TagChunk | undefined {
  const [, word, argument = ""] = /^(\w+):(.*)$/s.exec(inside) ?? [];
  if (word === undefined) return /^\w{1,200}$/.test(inside) ? { kind: "output", text: variable(inside) } : undefined;
  switch (word.toUpperCase()) {
    case "IF":
    case "ELSEIF":
      return conditionTag(word.toLowerCase(), argument);
    case "IFNOT":
      return conditionTag("if not", argument);
    case "ELSE":
      return { kind: "tag", text: "else" };
    case "END":
      return argument.trim().toUpperCase() === "IF" ? { kind: "tag", text: "endif" } : undefined;
    case "UNSUB":
      return { kind: "output", text: quoted(argument) };
    default:
      return outputTag(word.toLowerCase(), argument);
  }
}

function outputTag(name: string, argument: string): TagChunk | undefined {
  if (!Object.hasOwn(mergeTagFunctions, name) || !/^\w{1,200}$/.test(argument)) return undefined;
  return { kind: "output", text: `${variable(argument)}|${name}` };
}

function conditionTag(tag: string, text: string): TagChunk | undefined {
  const [, name, operator, value = ""] = condition.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  if (operator === undefined) return { kind: "tag", text: `${tag} ${variable(name)}` };
  return {
    kind: "tag",
    text: `${tag} ${variable(name)} ${operator} ${quoted(value.trim())}`,
  };
}

function variable(name: string): string {
  return prefix + name.toUpperCase();
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

// Template language of Mailjet: `{{var:name:"default"}}`, strict about unknown variables, without escaping.

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Functions by name in lower case. */
export const mjtlFunctions: Readonly<Record<string, TagFunction>> = {
  abs: (_budget, value) => Math.abs(numberOf(value)),
  capitalize: (budget, value) => upperFirst(textOf(value, budget)),
  ceil: (_budget, value) => Math.ceil(numberOf(value)),
  contains: (budget, value, part) => textOf(value, budget).includes(textOf(part, budget)),
  endswith: (budget, value, part) => textOf(value, budget).endsWith(textOf(part, budget)),
  floor: (_budget, value) => Math.floor(numberOf(value)),
  length: (budget, value) => (Array.isArray(value) ? value.length : textOf(value, budget).length),
  lower: (budget, value) => textOf(value, budget).toLowerCase(),
  replace: (budget, ...values) => {
    const [text = "", part = "", by = ""] = [0, 1, 2].map((at) => textOf(values[at], budget));
    return replaceText(text, { part, by }, budget);
  },
  round: (_budget, value) => Math.round(numberOf(value)),
  startswith: (budget, value, part) => textOf(value, budget).startsWith(textOf(part, budget)),
  trim: (budget, value) => textOf(value, budget).trim(),
  upper: (budget, value) => textOf(value, budget).toUpperCase(),
};

/** Renders a source; values are inserted as they are, also into HTML. */
export const renderMjtl: RenderTemplate = tagRenderer({
  filters: new Map(),
  functions: new Map(Object.entries(mjtlFunctions)),
  // Contact properties and predefined variables are not stored here: they have their default, or are empty.
  spaces: (space, data) => (space === "var" ? data : {}),
  isStrict: true,
  elseIf: ["elseif", "elsif", "elif"],
  escapes: false,
  hasComments: false,
});

// Templates with nothing but `{{{NAME}}}` and `{{{NAME|fallback}}}`, as Resend has them.

const variableTag = /\{\{\{\s*([\p{L}_][\p{L}\p{N}_.]{0,199})\s{0,9}(?:\|([^{}]{0,999}))?\}\}\}/gu;

/** Renders a source; values are inserted as they are, also into HTML. */
export const renderVariables: RenderTemplate = (source, data, { budget }) => {
  budget.readTags(source, "{{{", "}}}");
  const output = new Output(budget);
  let end = 0;
  for (const { 0: tag, 1: name = "", 2: fallback, index } of source.matchAll(variableTag)) {
    const whole = memberOf(data, name);
    const value = whole ?? name.split(".").reduce(memberOf, data);
    output.write(source.slice(end, index));
    output.write(isTruthy(value) || fallback === undefined ? textOf(value, budget) : fallback.trim());
    end = index + tag.length;
  }
  output.write(source.slice(end));
  return output.toString();
};
