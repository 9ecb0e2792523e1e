/** Texts of a mail for the comparison of its translations. */
import { joinTexts } from "../../mime/body-content.ts";
import { parseMail } from "../../mime/parse-mail.ts";
import type { MimeLimits } from "../../mime/source.ts";
import { outlineHtml } from "../lint/html-outline.ts";

/** Text of a mail, on one line. */
export interface LocalisedText {
  readonly text: string;
  /** Subject, label of a link, or any other text; labels and subjects are translated whatever they contain. */
  readonly kind: "subject" | "link" | "text";
  /** Direction that the HTML states; null without one. */
  readonly direction: string | null;
}

/** Mail in one locale. */
export interface LocalisedMail {
  readonly subject: string;
  /** Language that the mail states; null for none. */
  readonly language: string | null;
  readonly texts: readonly LocalisedText[];
  readonly isHtml: boolean;
}

const textCountMax = 1000;
const textLengthMax = 500;

/** Reads the visible texts of a mail: subject, texts and alternative texts of the HTML, or the lines of the plain text. Never throws. */
export function readLocalisedMail(raw: Uint8Array, limits: MimeLimits): LocalisedMail {
  const mail = parseMail(raw, limits);
  const html = joinTexts(raw, mail.htmlParts);
  const content = html === null ? readLines(joinTexts(raw, mail.textParts) ?? "") : readHtml(html);
  const field = mail.headers.find((one) => one.field.toLowerCase() === "content-language")?.value ?? "";
  const [stated = ""] = field.split(",");
  const subject = { text: oneLine(mail.subject), kind: "subject", direction: null } as const;
  return {
    subject: mail.subject,
    language: languageTag(stated) ?? languageTag(content.lang),
    texts: [subject, ...content.texts].filter(({ text }) => text !== "").slice(0, textCountMax),
    isHtml: html !== null,
  };
}

interface Content {
  readonly lang: string;
  readonly texts: readonly LocalisedText[];
}

function readHtml(html: string): Content {
  const { elements, texts } = outlineHtml(html);
  const shown = elements.filter(({ isHidden }) => !isHidden);
  const labels = new Set(shown.flatMap(({ name, label }) => (name === "a" ? [oneLine(label)] : [])));
  const alts = shown.flatMap(({ name, attributes }) => (name === "img" ? [attributes.get("alt") ?? ""] : []));
  const isHead = new Set(elements.flatMap(({ name, label }) => (name === "title" ? [oneLine(label)] : [])));
  const runs = texts.map(({ text, style }): LocalisedText => {
    const line = oneLine(text);
    return { text: line, kind: labels.has(line) ? "link" : "text", direction: style.direction };
  });
  const lang = elements.find(({ name }) => name === "html")?.attributes.get("lang") ?? "";
  const named = alts.map((alt): LocalisedText => ({ text: oneLine(alt), kind: "text", direction: "auto" }));
  return { lang, texts: [...runs.filter(({ text }) => !isHead.has(text)), ...named] };
}

function readLines(text: string): Content {
  const lines = text.split(/\r\n|\r|\n/);
  return { lang: "", texts: lines.map((line) => ({ text: oneLine(line), kind: "text", direction: "auto" })) };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, textLengthMax).toWellFormed();
}

/** Returns a language tag in its canonical form; null for a text that is none. */
export function languageTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text.trim().replaceAll("_", "-"))[0] ?? null;
  } catch {
    // Not a language tag.
    return null;
  }
}
