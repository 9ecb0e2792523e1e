import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldText } from "../../../core/fold.ts";
import { defaultLimits } from "../../../core/limits.ts";
import { readEmailWhole } from "./read-email.ts";

/** Layouts of words that a person reads in sequence, with a gap between them. */
const gaps: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.join(" "),
  (words) => words.join("\r\n   "),
  (words) => words.join("&nbsp;"),
  (words) => words.join(" \u00a0\t"),
  (words) => words.join("&#8239;"),
  (words) => words.join("<br>"),
  (words) => words.join("<BR />\r\n"),
  (words) => `<table><tr>${words.map((word) => `<td>${word}</td>`).join("")}</tr></table>`,
  (words) => `<table>${words.map((word) => `<tr><th>${word}`).join("\r\n")}</table>`,
  (words) => `<ul>${words.map((word) => `<li>${word}</li>`).join("")}</ul>`,
  (words) => words.map((word) => `<div>${word}</div>`).join(""),
  (words) => words.map((word) => `<p>${word}</p>`).join("\r\n"),
  (words) => `<pre>${words.join("\r\n")}</pre>`,
  (words) => `<pre>${words.join("\t")}</pre>`,
  (words) => words.map((word) => `<span>${word}</span>`).join(" "),
  (words) => words.join(" <!-- a comment --> "),
];
/** Layouts of one word, which a person reads as it is. */
const shapes: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => `<b>${word}</b>`,
  (word) => Array.from(word).join("<wbr>"),
  (word) => Array.from(word).join("&shy;"),
  (word) => Array.from(word).join("&#8203;"),
  (word) => `<i>${word.slice(0, 1)}</i>${word.slice(1)}`,
  (word) => Array.from(word).join("<!---->"),
  (word) => word.normalize("NFD"),
];
const word = fc.constantFrom("click", "the", "Blue", "link", "Résumé", "1234,50", "€", "Änderung", "now.");
const laidOut = fc
  .array(
    fc.tuple(
      fc.array(fc.tuple(word, fc.constantFrom(...shapes)), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...gaps),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((groups) => ({
    words: groups.flatMap(([words]) => words.map(([one]) => one)),
    html: groups.map(([words, gap]) => `<div>${gap(words.map(([one, shape]) => shape(one)))}</div>`).join("\r\n"),
  }));

function bodyOf(content: string): string {
  const mail = `MIME-Version: 1.0\r\nContent-Type: ${content}`;
  return readEmailWhole(Buffer.from(mail), defaultLimits).searchBody.join("\n");
}

describe("the search body", () => {
  test("contains any phrase that a person reads in HTML, however it is laid out", () => {
    const property = fc.property(laidOut, fc.nat(), fc.nat(), ({ words, html }, first, count) => {
      const start = first % words.length;
      const phrase = words.slice(start, start + 1 + (count % (words.length - start))).join(" ");
      return bodyOf(`text/html; charset=utf-8\r\n\r\n${html}`).includes(foldText(phrase));
    });
    fc.assert(property, { numRuns: 300 });
  });

  test.each([
    [
      "wrapped text",
      "text/plain; charset=utf-8\r\n\r\nPlease reset\r\nyour  password now. Total: 1\u202f234,50\u00a0€",
      "reset your password now. Total: 1 234,50 €",
    ],
    [
      "flowed text",
      "text/plain; charset=utf-8; format=flowed\r\n\r\nPlease reset \r\nyour password",
      "reset your password",
    ],
    [
      "flowed text without blanks",
      "text/plain; charset=utf-8; format=flowed; delsp=yes\r\n\r\npass \r\nword",
      "password",
    ],
    ["wrapped Japanese text", "text/plain; charset=utf-8\r\n\r\nパスワードを再設\r\n定してください。", "再設定"],
    [
      "a source over several lines",
      'text/html; charset=utf-8\r\n\r\n<a\r\n   href="https://a.example">',
      '<a href="https://a.example">',
    ],
  ])("contains the phrase of %s", (_, content, phrase) => {
    expect(bodyOf(content)).toContain(foldText(phrase));
  });
});
