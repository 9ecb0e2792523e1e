/** Mails about signing in, in 92 languages and many layouts, and mails with other numbers; composed from one table of phrases. */
import { readFileSync } from "node:fs";

/** Mail with the codes that it shows. */
export interface AuthenticationMail {
  /** Language, layout and code. */
  readonly name: string;
  readonly language: string;
  readonly isHtml: boolean;
  readonly body: string;
  readonly codes: readonly string[];
}

interface Phrases {
  readonly language: string;
  /** With `{}` for the code. */
  readonly sentence: string;
  /** Announces a code below. */
  readonly below: string;
  readonly label: string;
  /** Announces a code to choose another password. */
  readonly reset: string;
  /** Sentence with the time for which the code is valid. */
  readonly valid: string;
  /** With `{}` for the number of an order, which is no code. */
  readonly order: string;
}

/** Codes as mails write them, and as the finder returns them. */
const forms: readonly (readonly [written: string, code: string])[] = [
  ["482913", "482913"],
  ["7301", "7301"],
  ["58203917", "58203917"],
  ["804 219", "804219"],
  ["118-402", "118402"],
  ["X7K9QZ", "X7K9QZ"],
  ["HKWP-TZRM", "HKWP-TZRM"],
  ["RXTQWK", "RXTQWK"],
  ["gNXPgss8", "gNXPgss8"],
];

const notes: readonly string[] = [
  "Harbour Ltd, 1604 Quay Street, Bristol BS1 4QA",
  "+44 20 7946 0018 · 0800 123 4567 · (202) 456-1111",
  "© 2019-2026 Harbour Ltd. All rights reserved.",
  "https://harbour.example/reset?token=58201934&u=20481",
  "Firefox 131.0.2, Linux 6.1, 203.0.113.74, 20.11.2026 10:42",
];
const numbers: readonly string[] = [
  "1.250,00 EUR · $4821 · 129.90 USD",
  "v4.18.2 (build 20261120)",
  "JD014600003812345678",
  "20457 Hamburg · Washington, DC 20500",
];
const patch = [
  "diff --git a/src/door.ts b/src/door.ts",
  "index 587be6b..b77b4eb 100644",
  "--- a/src/door.ts",
  "+++ b/src/door.ts",
  "@@ -1042,7 +1042,7 @@ export const",
  " const first = 1;",
  "-const portMin = 482910;",
  "+const portMin = 482911;",
];
const styles = "<style>.a{color:#482910;background:#123456}@media(max-width:1204px){p{margin:0 1000px}}</style>";

const paragraphs = (...blocks: readonly string[]): string => blocks.join("\n\n");
const html = (body: string): string => `<html><head>${styles}</head><body bgcolor="#804219">${body}</body></html>`;
const cells = (digits: string): string =>
  `<table><tr>${digits.replaceAll(/./g, '<td style="width:48px;color:#104822">$&</td>')}</tr></table>`;
const spans = (digits: string): string => `<p>${digits.replaceAll(/./g, "<span>$&</span>")}</p>`;
const boxes = (digits: string): string => `<div>\n${digits.replaceAll(/./g, "  <span>$&</span>\n")}</div>`;

/** Layouts of a mail with a code in any form. */
const layouts: Readonly<Record<string, (phrases: Phrases, written: string) => string>> = {
  sentence: ({ sentence }, written) => sentence.replace("{}", written),
  "sentence with notes": ({ sentence, valid, order }, written) =>
    paragraphs(`${sentence.replace("{}", written)} ${valid}`, order.replace("{}", "55829104"), notes.join("\n")),
  "below an announcement": ({ below, valid, order }, written) =>
    paragraphs("Robin,", below, written, valid, order.replace("{}", "4471022"), notes.join("\n")),
  "below a reset": ({ reset, valid }, written) => paragraphs("Robin,", reset, written, valid, notes.join("\n")),
  "after a label": ({ label, valid }, written) => paragraphs(`${label}: ${written}`, valid, notes.join("\n")),
  "html, heading": ({ label, below, valid }, written) =>
    html(`<h1>Harbour</h1><h2>${label}</h2><p>${below}</p><p><b>${written}</b></p><p>${valid}</p>${footer()}`),
  "html, box": ({ reset, valid }, written) =>
    html(
      `<div>${reset}</div><table><tr><td align="center"><p>${written}</p></td></tr></table><p>${valid}</p>${footer()}`,
    ),
  "html, row": ({ label, order }, written) =>
    html(
      `<table><tr><td>${order.replace("{}", "")}</td><td>4471022</td></tr><tr><td>${label}</td><td>${written}</td></tr></table>${footer()}`,
    ),
};

/** Layouts that show the digits of a code one by one. */
const digitLayouts: Readonly<Record<string, (phrases: Phrases, digits: string) => string>> = {
  "html, a cell for each digit": ({ below, valid }, digits) =>
    html(`<p>${below}</p>${cells(digits)}<p>${valid}</p>${footer()}`),
  "html, a span for each digit": ({ reset, valid }, digits) =>
    html(`<p>${reset}</p>${spans(digits)}<p>${valid}</p>${footer()}`),
  "html, a line for each digit": ({ below, valid }, digits) =>
    html(`<p>${below}</p>${boxes(digits)}<p>${valid}</p>${footer()}`),
  "digits apart": ({ below, valid }, digits) => paragraphs(below, digits.split("").join(" "), valid, notes.join("\n")),
};

/** Layouts without a code. */
const otherLayouts: Readonly<Record<string, (phrases: Phrases) => string>> = {
  order: ({ order }) => paragraphs(order.replace("{}", "482910"), [...numbers, ...notes].join("\n")),
  "short order": ({ order }) => order.replace("{}", "5582910"),
  "announcement of a code elsewhere": ({ below, valid }) => paragraphs(`${below} ${valid}`, notes.join("\n")),
  "reset by a link": ({ reset, valid }) =>
    paragraphs(reset, "https://harbour.example/482913", valid, [...notes, ...numbers].join("\n")),
  patch: ({ label }) => paragraphs(label, patch.join("\n"), "-- \n2.47.1"),
  "short patch": () => patch.slice(0, 3).join("\n"),
  "quoted patch": ({ label }) => paragraphs(`${label}:`, patch.map((line) => `> ${line}`).join("\n")),
  "html, order": ({ order, valid }) =>
    html(
      `<table><tr><td>${order.replace("{}", "")}</td><td>482910</td></tr></table><p>${valid}</p>${footer(numbers.concat(notes))}`,
    ),
};

const footer = (lines: readonly string[] = notes): string =>
  lines.map((line) => `<p><small>${line}</small></p>`).join("");

/** Returns all mails: every layout in every language, every form of a code where a layout can show it. */
export function authenticationMails(): AuthenticationMail[] {
  const mails: AuthenticationMail[] = [];
  for (const phrases of readPhrases()) {
    const { language } = phrases;
    const add = (layout: string, body: string, codes: readonly string[]): void => {
      const isHtml = layout.startsWith("html");
      mails.push({ name: [language, layout, ...codes].join(", "), language, isHtml, body, codes });
    };
    for (const [layout, compose] of Object.entries(layouts)) {
      for (const [written, code] of forms) add(layout, compose(phrases, written), [code]);
    }
    for (const [layout, compose] of Object.entries(digitLayouts)) add(layout, compose(phrases, "601928"), ["601928"]);
    for (const [layout, compose] of Object.entries(otherLayouts)) add(layout, compose(phrases), []);
  }
  return mails;
}

/** Reads blocks of `## language` with a line for each phrase. */
function readPhrases(): Phrases[] {
  const table = readFileSync(new URL("fixtures/authentication-mails.txt", import.meta.url), "utf8");
  return table
    .split(/^## /m)
    .slice(1)
    .map((block) => {
      const [language = "", ...lines] = block.trim().split("\n");
      const values = new Map(
        lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      );
      const phrase = (name: string): string => {
        const value = values.get(name);
        if (value === undefined) throw new Error(`${language} has no phrase "${name}"`);
        return value;
      };
      return {
        language,
        sentence: phrase("sentence"),
        below: phrase("below"),
        label: phrase("label"),
        reset: phrase("reset"),
        valid: phrase("valid"),
        order: phrase("order"),
      };
    });
}
