/** HTML in which every text is escaped. */

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
