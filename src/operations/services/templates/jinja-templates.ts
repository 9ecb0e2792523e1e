/** Template language of Brevo, which follows Django's. */
import { formatLayout, instantOf } from "./format-date.ts";
import { type RenderBudget, type RenderTemplate, TemplateError } from "./render-budget.ts";
import type { TagFunction } from "./tag-expressions.ts";
import {
  joined,
  escapeHtml,
  isTruthy,
  memberCountOf,
  numberOf,
  occurrencesOf,
  replaceText,
  SafeText,
  splitText,
  textOf,
} from "./template-values.ts";
import { tagRenderer } from "./tag-templates.ts";

/** Most decimals of a number. */
const decimalsMax = 20;
/** Most units by which the name of a month or a day, or an escape, is longer than what it replaces. */
const expansionMax = 9;

function withoutTags(html: string, budget: RenderBudget): string {
  budget.allocateElements(occurrencesOf(html, "<") + 1);
  const chunks: string[] = [];
  let end = 0;
  for (let start = html.indexOf("<"); start !== -1; start = html.indexOf("<", end)) {
    const close = html.indexOf(">", start);
    if (close === -1) break;
    chunks.push(html.slice(end, start));
    end = close + 1;
  }
  return [...chunks, html.slice(end)].join("");
}

/** Returns the first characters of a text; an ellipsis counts as three of them. */
function truncated(text: string, length: number): string {
  let count = 0;
  let end = 0;
  for (const character of text) {
    count += 1;
    if (count <= length - 3) end += character.length;
    // Also without a number.
    if (!(count <= length)) return `${text.slice(0, end)}...`;
  }
  return text;
}

function truncatedToWords(text: string, count: number, budget: RenderBudget): string {
  // More words than units are not in the text.
  const most = Math.max(0, Math.min(Math.trunc(count) || 0, text.length + 1));
  budget.allocateElements(most + 1);
  const words = text.split(/\s+/, most + 1);
  return words.length <= most ? text : `${words.slice(0, most).join(" ")} ...`;
}

function wordCountOf(text: string): number {
  let count = 0;
  for (const _word of text.matchAll(/\S+/g)) count += 1;
  return count;
}

function titled(text: string, budget: RenderBudget): string {
  budget.allocateElements(Math.ceil(text.length / 2));
  return text.toLowerCase().replaceAll(/(?<!\S)\S/g, (first) => first.toUpperCase());
}

function rounded(value: unknown, places: unknown): string {
  const number = numberOf(value);
  if (Number.isNaN(number)) return "";
  const digits = places === undefined ? -1 : Math.trunc(numberOf(places));
  if (Math.abs(digits) > decimalsMax) throw new TemplateError("floatformat: too many decimals");
  if (digits < 0 && Number.isInteger(number)) return String(number);
  return number.toFixed(Math.abs(digits));
}

function yesOrNo(value: unknown, names: unknown, budget: RenderBudget): string {
  const [yes = "yes", no = "no", maybe = no] = names === undefined ? [] : splitText(textOf(names, budget), ",", budget);
  return value === null || value === undefined ? maybe : isTruthy(value) ? yes : no;
}

function pluralized(value: unknown, endings: unknown, budget: RenderBudget): string {
  const [first = "", second] = splitText(endings === undefined ? "s" : textOf(endings, budget), ",", budget);
  const isOne = numberOf(value) === 1;
  if (second === undefined) return isOne ? "" : first;
  return isOne ? first : second;
}

function dated(value: unknown, layout: unknown, budget: RenderBudget): string {
  const instant = instantOf(value);
  if (instant === null) return textOf(value, budget);
  const text = textOf(layout, budget);
  budget.allocateElements(text.length);
  return formatLayout(instant, text);
}

function joinedList(value: unknown, separator: string, budget: RenderBudget): string {
  const items = listOf(value, budget);
  budget.allocateElements(items.length);
  const texts = items.map((item) => textOf(item, budget));
  budget.allocate(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
  return texts.join(separator);
}

function encoded(text: string, budget: RenderBudget): string {
  budget.allocate(text.length * expansionMax);
  return encodeURIComponent(text.toWellFormed());
}

function lengthOf(value: unknown, budget: RenderBudget): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null && !(value instanceof SafeText)
    ? memberCountOf(value)
    : textOf(value, budget).length;
}

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const listOf = (value: unknown, budget: RenderBudget): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  const text = textOf(value, budget);
  budget.allocateElements(text.length);
  return Array.from(text);
};
const firstOf = (value: unknown, budget: RenderBudget): unknown =>
  Array.isArray(value) ? value[0] : Array.from(textOf(value, budget).slice(0, 2))[0];
const lastOf = (value: unknown, budget: RenderBudget): unknown =>
  Array.isArray(value) ? value.at(-1) : Array.from(textOf(value, budget).slice(-2)).at(-1);
const sumOf = (a: unknown, b: unknown, budget: RenderBudget): unknown =>
  Number.isNaN(numberOf(a)) || Number.isNaN(numberOf(b)) ? joined(a, b, budget) : numberOf(a) + numberOf(b);

/** Filters by name. */
export const jinjaFilters: Readonly<Record<string, TagFunction>> = {
  add: (budget, value, other) => sumOf(value, other, budget),
  capfirst: (budget, value) => upperFirst(textOf(value, budget)),
  cut: (budget, value, part) => replaceText(textOf(value, budget), { part: textOf(part, budget), by: "" }, budget),
  date: (budget, value, layout) => dated(value, layout, budget),
  default: (_budget, value, fallback) => (isTruthy(value) ? value : fallback),
  default_if_none: (_budget, value, fallback) => value ?? fallback,
  divisibleby: (_budget, value, divisor) => numberOf(value) % numberOf(divisor) === 0,
  escape: (budget, value) => new SafeText(escapeHtml(textOf(value, budget), budget)),
  first: (budget, value) => firstOf(value, budget),
  float: (_budget, value) => numberOf(value) || 0,
  floatformat: (_budget, value, places) => rounded(value, places),
  integer: (_budget, value) => Math.trunc(numberOf(value)) || 0,
  join: (budget, value, separator) => joinedList(value, textOf(separator, budget), budget),
  last: (budget, value) => lastOf(value, budget),
  length: (budget, value) => lengthOf(value, budget),
  linebreaksbr: (budget, value) => {
    const html = escapeHtml(textOf(value, budget), budget);
    return new SafeText(replaceText(html, { part: "\n", by: "<br />" }, budget));
  },
  lower: (budget, value) => textOf(value, budget).toLowerCase(),
  pluralize: (budget, value, endings) => pluralized(value, endings, budget),
  safe: (budget, value) => new SafeText(textOf(value, budget)),
  split: (budget, value, separator) => splitText(textOf(value, budget), textOf(separator, budget), budget),
  striptags: (budget, value) => withoutTags(textOf(value, budget), budget),
  time_parse: (_budget, value) => value,
  title: (budget, value) => titled(textOf(value, budget), budget),
  truncatechars: (budget, value, length) => truncated(textOf(value, budget), numberOf(length)),
  truncatewords: (budget, value, count) => truncatedToWords(textOf(value, budget), numberOf(count), budget),
  upper: (budget, value) => textOf(value, budget).toUpperCase(),
  urlencode: (budget, value) => encoded(textOf(value, budget), budget),
  wordcount: (budget, value) => wordCountOf(textOf(value, budget)),
  yesno: (budget, value, names) => yesOrNo(value, names, budget),
};

/** Renders a source. */
export const renderJinja: RenderTemplate = tagRenderer({
  filters: new Map(Object.entries(jinjaFilters)),
  functions: new Map(),
  spaces: null,
  isStrict: false,
  elseIf: ["elif", "elseif"],
  escapes: true,
  hasComments: true,
});

// Template language of MailerSend: a part of Twig 3.

const keysOf: TagFunction = (budget, value) => {
  if (typeof value !== "object" || value === null) return [];
  budget.allocateElements(memberCountOf(value));
  return Object.keys(value);
};

const shared: ReadonlySet<string> = new Set(["default", "escape", "length", "lower", "upper"]);
/** Filters by name. */
export const twigFilters: ReadonlyMap<string, TagFunction> = new Map([
  ...Object.entries(jinjaFilters).filter(([name]) => shared.has(name)),
  ["keys", keysOf],
]);

/** Renders a source in the language of MailerSend. */
export const renderTwig: RenderTemplate = tagRenderer({
  filters: twigFilters,
  functions: new Map(),
  spaces: null,
  isStrict: false,
  elseIf: ["elseif"],
  escapes: true,
  hasComments: true,
});
