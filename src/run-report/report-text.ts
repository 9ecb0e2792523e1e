/** Texts and HTML of reports. */
const second = 1000;
const minute = 60 * second;
const kilobyte = 1024;

/** Returns a duration such as `240 ms`, `1.24 s` or `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < second) return `${String(Math.round(ms))} ms`;
  if (ms < minute) return `${(ms / second).toFixed(2)} s`;
  return `${String(Math.floor(ms / minute))} min ${String(Math.round((ms % minute) / second))} s`;
}

/** Returns the distance of an instant from the start of a test, such as `+1.240 s`. */
export function offsetText(ms: number): string {
  return `${ms < 0 ? "−" : "+"}${(Math.abs(ms) / second).toFixed(3)} s`;
}

/** Returns an instant such as `2026-11-29 05:10:12 UTC`; the text itself when it is none. */
export function instantText(instant: string): string {
  const at = new Date(instant);
  return Number.isNaN(at.getTime()) ? instant : `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Returns a size such as `12.4 kB`. */
export function sizeText(bytes: number): string {
  return bytes < kilobyte ? `${String(bytes)} bytes` : `${(bytes / kilobyte).toFixed(1)} kB`;
}

/** Returns a number with its noun, in the plural unless it is 1. */
export function countText(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

// HTML in which every text is escaped.

/** Piece of HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Value in a template: text, HTML, or a list of both; null is left out. */
export type HtmlValue = string | number | Html | null | readonly HtmlValue[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** Control characters, and those that change the direction of the text after them. */
const hidden = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/** Returns HTML of a template, whose values are safe as content of elements and in quoted attributes. */
export function markup(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, at) => (at === 0 ? part : `${textOf(values[at - 1] ?? null)}${part}`)).join(""));
}

function textOf(value: HtmlValue): string {
  if (value === null) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(textOf).join("");
  return String(value)
    .toWellFormed()
    .replaceAll(hidden, "\ufffd")
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
