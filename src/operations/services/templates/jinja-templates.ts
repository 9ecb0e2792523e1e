/** Template language of Brevo, which follows Django's. */
import { formatLayout, instantOf } from "./format-date.ts";
import type { RenderBudget } from "./render-budget.ts";
import type { TagFunction } from "./tag-expressions.ts";
import { renderTags, SafeText, type TagDialect } from "./tag-templates.ts";
import { TemplateError } from "./template-error.ts";
import { escapeHtml, isTruthy, numberOf, textOf } from "./template-values.ts";

/** Longest text that filters repeat or pad to. */
const decimalsMax = 20;

function withoutTags(html: string): string {
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

function truncated(text: string, length: number): string {
  const characters = Array.from(text);
  if (characters.length <= length) return text;
  return `${characters.slice(0, Math.max(0, length - 3)).join("")}...`;
}

function rounded(value: unknown, places: unknown): string {
  const number = numberOf(value);
  if (Number.isNaN(number)) return "";
  const digits = places === undefined ? -1 : Math.trunc(numberOf(places));
  if (Math.abs(digits) > decimalsMax) throw new TemplateError("floatformat: too many decimals");
  if (digits < 0 && Number.isInteger(number)) return String(number);
  return number.toFixed(Math.abs(digits));
}

function yesOrNo(value: unknown, names: unknown): string {
  const [yes = "yes", no = "no", maybe = no] = names === undefined ? [] : textOf(names).split(",");
  return value === null || value === undefined ? maybe : isTruthy(value) ? yes : no;
}

function pluralized(value: unknown, endings: unknown): string {
  const [first = "", second] = (endings === undefined ? "s" : textOf(endings)).split(",");
  const isOne = numberOf(value) === 1;
  if (second === undefined) return isOne ? "" : first;
  return isOne ? first : second;
}

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : Array.from(textOf(value)));
const sumOf = (a: unknown, b: unknown): unknown =>
  Number.isNaN(numberOf(a)) || Number.isNaN(numberOf(b)) ? textOf(a) + textOf(b) : numberOf(a) + numberOf(b);

const filters: Readonly<Record<string, TagFunction>> = {
  add: sumOf,
  capfirst: (value) => upperFirst(textOf(value)),
  cut: (value, part) => textOf(value).replaceAll(textOf(part), ""),
  date: (value, layout) => {
    const instant = instantOf(value);
    return instant === null ? textOf(value) : formatLayout(instant, textOf(layout));
  },
  default: (value, fallback) => (isTruthy(value) ? value : fallback),
  default_if_none: (value, fallback) => value ?? fallback,
  divisibleby: (value, divisor) => numberOf(value) % numberOf(divisor) === 0,
  escape: (value) => new SafeText(escapeHtml(textOf(value))),
  first: (value) => listOf(value)[0],
  float: (value) => numberOf(value) || 0,
  floatformat: rounded,
  integer: (value) => Math.trunc(numberOf(value)) || 0,
  join: (value, separator) => listOf(value).map(textOf).join(textOf(separator)),
  last: (value) => listOf(value).at(-1),
  length: (value) => (typeof value === "object" && value !== null ? Object.keys(value).length : textOf(value).length),
  linebreaksbr: (value) => new SafeText(escapeHtml(textOf(value)).replaceAll("\n", "<br />")),
  lower: (value) => textOf(value).toLowerCase(),
  pluralize: pluralized,
  safe: (value) => new SafeText(textOf(value)),
  split: (value, separator) => textOf(value).split(textOf(separator)),
  striptags: (value) => withoutTags(textOf(value)),
  time_parse: (value) => value,
  title: (value) =>
    textOf(value)
      .toLowerCase()
      .replaceAll(/(?<!\S)\S/g, (first) => first.toUpperCase()),
  truncatechars: (value, length) => truncated(textOf(value), numberOf(length)),
  truncatewords: (value, count) => {
    const words = textOf(value).split(/\s+/);
    return words.length <= numberOf(count) ? textOf(value) : `${words.slice(0, numberOf(count)).join(" ")} ...`;
  },
  upper: (value) => textOf(value).toUpperCase(),
  urlencode: (value) => encodeURIComponent(textOf(value).toWellFormed()),
  wordcount: (value) => textOf(value).split(/\s+/).filter(Boolean).length,
  yesno: yesOrNo,
};

const dialect: TagDialect = {
  filters: new Map(Object.entries(filters)),
  functions: new Map(),
  spaces: null,
  isStrict: false,
  elseIf: ["elif", "elseif"],
  escapes: true,
  hasComments: true,
};

/** Renders a source. */
export function renderJinja(
  source: string,
  data: unknown,
  options: { readonly budget: RenderBudget; readonly isHtml: boolean },
): string {
  return renderTags(source, data, { ...options, dialect });
}
