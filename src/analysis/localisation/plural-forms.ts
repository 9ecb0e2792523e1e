/** Nouns after numbers in the wrong plural, by the rules and units of CLDR. */
import type { LocalisationFinding } from "../../core/localisation.ts";
import { languageOf } from "./missing-translations.ts";
import type { LocalisedMail } from "./read-localised-mail.ts";

const units = ["second", "minute", "hour", "day", "week", "month", "year"] as const;
/** Numbers of every plural category of integers. */
const samples = [1, 2, 3, 5, 11, 21, 100] as const;

/** Nouns of shops by language: singular, then plural, or the forms for one, few and many. */
const nouns: Readonly<Record<string, readonly (readonly string[])[]>> = {
  de: [
    ["Bestellung", "Bestellungen"],
    ["Datei", "Dateien"],
    ["Nachricht", "Nachrichten"],
    ["Produkt", "Produkte"],
  ],
  en: [
    ["file", "files"],
    ["item", "items"],
    ["message", "messages"],
    ["product", "products"],
    ["ticket", "tickets"],
  ],
  es: [
    ["artículo", "artículos"],
    ["mensaje", "mensajes"],
    ["producto", "productos"],
  ],
  fr: [
    ["article", "articles"],
    ["fichier", "fichiers"],
    ["message", "messages"],
    ["produit", "produits"],
  ],
  it: [
    ["articolo", "articoli"],
    ["messaggio", "messaggi"],
    ["prodotto", "prodotti"],
  ],
  pl: [
    ["plik", "pliki", "plików"],
    ["produkt", "produkty", "produktów"],
    ["wiadomość", "wiadomości", "wiadomości"],
  ],
  pt: [
    ["item", "itens"],
    ["mensagem", "mensagens"],
    ["produto", "produtos"],
  ],
  ru: [
    ["товар", "товара", "товаров"],
    ["сообщение", "сообщения", "сообщений"],
    ["файл", "файла", "файлов"],
  ],
};

/** Languages whose nouns have cases: prepositions ask for the genitive, which is the form of large numbers, or of one. */
const inflected: ReadonlySet<string> = new Set("ar be bs cs et fi hi hr hu lt lv pl ru sk sl sr uk ur".split(" "));

/** Plural rules of a locale. */
interface Forms {
  readonly rules: Intl.PluralRules;
  /** Plural categories of each form of a noun; empty for languages without plurals after numbers. */
  readonly categories: ReadonlyMap<string, ReadonlySet<Intl.LDMLPluralRule>>;
}

const known = new Map<string, Forms>();

function formsOf(locale: string): Forms {
  const former = known.get(locale);
  if (former !== undefined) return former;
  const rules = new Intl.PluralRules(locale);
  const categories = new Map<string, Set<Intl.LDMLPluralRule>>();
  for (const number of samples) {
    const category = rules.select(number);
    for (const form of [...unitsAfter(number, locale), ...nounsAfter(category, locale)])
      categories.set(form, (categories.get(form) ?? new Set()).add(category));
  }
  const found = { rules, categories };
  known.set(locale, found);
  return found;
}

function unitsAfter(number: number, locale: string): readonly string[] {
  return units.flatMap((unit) => {
    const format = new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long", numberingSystem: "latn" });
    const words = format.format(number).match(/[\p{L}\p{M}]+/gu) ?? [];
    return words.length === 1 ? words : [];
  });
}

function nounsAfter(category: Intl.LDMLPluralRule, locale: string): readonly string[] {
  return (nouns[languageOf(locale)] ?? []).map(([one = "", few = one, many = few]) => {
    if (category === "one") return one;
    return category === "few" ? few : many;
  });
}

const counted =
  /(?<![\p{Nd}.,:/-])(\d{1,3})[ \u00a0\u202f]([\p{L}\p{M}]+)(\(\p{L}{1,3}\))?(?![\p{L}\p{M}-])( \p{L})?/gu;
const placeholder = /\{\s*\w+\s*,\s*(?:plural|selectordinal)\s*,/;

/** Finds nouns after numbers that are in the wrong form, and placeholders that no library replaced. */
export function findWrongPlurals(
  locale: string,
  { texts }: Pick<LocalisedMail, "texts">,
): readonly LocalisationFinding[] {
  const found = texts.flatMap(({ text }): readonly LocalisationFinding[] => {
    if (placeholder.test(text))
      return [finding("The text shows the placeholder of a plural", text.slice(0, 200).toWellFormed())];
    return Array.from(text.matchAll(counted), (match) => judge(locale, match)).filter((one) => one !== null);
  });
  return [...new Map(found.map((one) => [one.subject, one])).values()];
}

function judge(locale: string, match: RegExpExecArray): LocalisationFinding | null {
  const [, digits = "", word = "", ending, next] = match;
  const subject = `${digits} ${word}${ending ?? ""}`;
  if (ending !== undefined) return finding(`${subject} is neither singular nor plural`, subject);
  const number = Number(digits);
  const { rules, categories } = formsOf(locale);
  const ofWord = categories.get(word);
  const category = rules.select(number);
  if (ofWord === undefined || ofWord.has(category) || ["zero", "two"].includes(category)) return null;
  const isRight = isRightElsewhere(languageOf(locale), { number, ofWord, isFollowed: next !== undefined });
  return isRight ? null : finding(`${subject} has the form of another number`, subject);
}

/** Whether a form can be right although it is not that of the number alone. */
function isRightElsewhere(
  language: string,
  {
    number,
    ofWord,
    isFollowed,
  }: { readonly number: number; readonly ofWord: ReadonlySet<string>; readonly isFollowed: boolean },
): boolean {
  // In English, `a 30 day trial` is right.
  if (number === 0 || (language === "en" && number > 1 && isFollowed)) return true;
  return inflected.has(language) && (number === 1 || ofWord.has("many") || ofWord.has("other"));
}

function finding(message: string, subject: string): LocalisationFinding {
  return { rule: "plural", message, subject };
}
