/** Direction of writing. */
import type { LocalisationFinding } from "../../core/localisation.ts";
import { languageOf } from "./missing-translations.ts";
import type { LocalisedMail } from "./read-localised-mail.ts";

const rightToLeft: ReadonlySet<string> = new Set("ar ckb dv fa he iw ps sd ug ur yi".split(" "));

/** Returns the direction of the language of a locale. */
export function directionOf(locale: string): "ltr" | "rtl" {
  const { script } = new Intl.Locale(locale);
  if (script !== undefined) return ["Arab", "Hebr", "Thaa"].includes(script) ? "rtl" : "ltr";
  return rightToLeft.has(languageOf(locale)) ? "rtl" : "ltr";
}

/** Finds texts of an HTML mail whose direction is not that of their letters. */
export function findWrongDirection(locale: string, { texts, isHtml }: LocalisedMail): readonly LocalisationFinding[] {
  if (!isHtml) return [];
  const direction = directionOf(locale);
  const wrong = texts.filter(({ text, kind, direction: stated }) => {
    if (kind === "subject" || stated === "auto" || directionOfLetters(text) !== direction) return false;
    return direction === "rtl" ? stated !== "rtl" : stated === "rtl";
  });
  const [first] = wrong;
  if (first === undefined) return [];
  const count = wrong.length === 1 ? "A text has" : `${String(wrong.length)} texts have`;
  const message =
    direction === "rtl"
      ? `${count} no dir="rtl" on an element around, and ${locale} is written from right to left`
      : `${count} dir="rtl" on an element around, and ${locale} is written from left to right`;
  return [{ rule: "direction", message, subject: first.text.slice(0, 200).toWellFormed() }];
}

/** Returns the direction of most letters; null for a text without letters. */
function directionOfLetters(text: string): "ltr" | "rtl" | null {
  const right = text.match(/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thaana}]/gu)?.length ?? 0;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters === 0 ? null : right * 2 > letters ? "rtl" : "ltr";
}
