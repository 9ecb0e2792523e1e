/** Texts that a translation has in the language of the default locale. */
import type { LocalisationFinding } from "../../core/localisation.ts";
import type { LocalisedMail, LocalisedText } from "./read-localised-mail.ts";

/** Mail with its locale. */
export interface MailOfLocale {
  /** Canonical language tag. */
  readonly locale: string;
  readonly mail: LocalisedMail;
}

/** Lower-case words of at least this length make a sentence rather than a name: `Confirm your address`, not `Bank of America`. */
const sentenceWordLength = 3;
const labelWordLength = 5;

/**
 * Finds texts that equal one of the default locale. Names, addresses, numbers, codes and URLs are equal in all languages: a
 * text counts when it is a sentence, or when a third language has another text in its place.
 */
export function findMissingTranslations(
  { locale, mail }: MailOfLocale,
  {
    original,
    others,
    keep,
  }: { readonly original: MailOfLocale; readonly others: readonly MailOfLocale[]; readonly keep: readonly string[] },
): readonly LocalisationFinding[] {
  const language = languageOf(locale);
  if (language === languageOf(original.locale)) return [];
  const originals = new Set(original.mail.texts.map(({ text }) => text));
  const third = others.filter((one) => ![language, languageOf(original.locale)].includes(languageOf(one.locale)));
  const thirdTexts = third.map((one) => new Set(one.mail.texts.map(({ text }) => text)));
  const isOtherScript = scriptOf(locale) !== scriptOf(original.locale);
  const found = mail.texts.filter((one) => {
    if (!originals.has(one.text)) return false;
    const words = wordsOf(one.text, keep);
    if (isSentence(words)) return true;
    return thirdTexts.some((texts) => !texts.has(one.text)) && isLabel(one, words, isOtherScript);
  });
  const distinct = new Map(found.map((one) => [one.text, one]));
  return Array.from(distinct.values(), ({ text, kind }) => ({
    rule: "missing-translation",
    message: `The ${kind === "link" ? "label of a link" : kind} is that of ${original.locale}: it is not translated into ${locale}`,
    subject: text.slice(0, 200).toWellFormed(),
  }));
}

/** Returns the primary language of a tag. */
export function languageOf(locale: string): string {
  return new Intl.Locale(locale).language;
}

/** Returns the words of a text that have a meaning: not those of URLs, addresses, codes, and texts that stay. */
function wordsOf(text: string, keep: readonly string[]): readonly string[] {
  let rest = text;
  for (const kept of keep) rest = rest.replaceAll(kept, " ");
  const plain = rest.split(" ").filter((one) => !/[@/\\_\d{}]|\w\.\w/.test(one));
  return plain.join(" ").match(/[\p{L}\p{M}'’-]+/gu) ?? [];
}

function isSentence(words: readonly string[]): boolean {
  const text = words.join("");
  if (/[\p{Lu}\p{Ll}]/u.test(text)) return words.filter(isLowerCase).length >= 2;
  // Grammar of Japanese is written in Hiragana; names of companies are not.
  if (/\p{Script=Hiragana}/u.test(text)) return (text.match(/\p{Script=Hiragana}/gu) ?? []).length >= 2;
  if (/\p{Script=Han}/u.test(text)) return text.length >= 5 && /[的了是在您你我们請请會会將将已不]/.test(text);
  return words.filter((word) => word.length > 1).length >= 3;
}

function isLowerCase(word: string): boolean {
  return /^\p{Ll}/u.test(word) && word.length >= sentenceWordLength;
}

/** Whether a text is one that mails translate, given that another language does. */
function isLabel({ kind }: LocalisedText, words: readonly string[], isOtherScript: boolean): boolean {
  const [first = ""] = words;
  if (words.length >= 2) return kind !== "text" || words.some(isLowerCase);
  return kind === "link" && isOtherScript && first.length >= labelWordLength;
}

/** Returns the script that a locale is written in (ISO 15924). */
function scriptOf(locale: string): string {
  return new Intl.Locale(locale).maximize().script ?? "";
}
