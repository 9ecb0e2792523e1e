/** Merge tags of Mailchimp: `*|NAME|*`, `*|UPPER:NAME|*`, `*|IF:NAME=value|*`. Values are inserted as they are, also into HTML. */
import { jinjaFilters } from "./jinja-templates.ts";
import type { RenderBudget } from "./render-budget.ts";
import type { TagChunk } from "./tag-chunks.ts";
import type { TagFunction } from "./tag-expressions.ts";
import { renderTags, type TagDialect } from "./tag-templates.ts";
import { escapeHtml, textOf } from "./template-values.ts";

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

const dialect: TagDialect = {
  filters: new Map(Object.entries(mergeTagFunctions)),
  functions: new Map(),
  spaces: null,
  isStrict: false,
  elseIf: ["elseif"],
  escapes: false,
  hasComments: false,
  split: splitMergeTags,
};

/** Renders a source; letter case does not distinguish the names of variables. */
export function renderMergeTags(source: string, data: unknown, { budget }: { readonly budget: RenderBudget }): string {
  const given = typeof data === "object" && data !== null ? Object.entries(data) : [];
  budget.allocateElements(given.length);
  const values = Object.fromEntries(given.map(([name, value]) => [prefix + name.toUpperCase(), value as unknown]));
  return renderTags(source, values, { budget, isHtml: false, dialect });
}

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
