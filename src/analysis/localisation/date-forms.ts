/** Dates in the form of another locale. */
import type { LocalisationFinding } from "../../core/localisation.ts";
import { languageOf, type MailOfLocale } from "./missing-translations.ts";

/** Languages whose readers expect the year first, and write no numeric date with the year last. */
const yearFirst: ReadonlySet<string> = new Set(["hu", "ja", "ko", "zh"]);
const numericDate = /(?<![\p{Nd}./:-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?![\p{Nd}./:-])/gu;

/** Finds dates whose order or whose name of the month is that of another locale. */
export function findWrongDates(
  { locale, mail }: MailOfLocale,
  { original, others }: { readonly original: MailOfLocale; readonly others: readonly MailOfLocale[] },
): readonly LocalisationFinding[] {
  const originals = new Set(original.mail.texts.flatMap(({ text }) => numericDates(text).map(([date]) => date)));
  const foreign = foreignMonths(locale, [original, ...others]);
  const form = dateForm(locale);
  const found = mail.texts.flatMap(({ text }) => {
    const digits = withPlainDigits(text);
    return [
      ...numericDates(digits).flatMap((match) => judgeNumeric(match, { locale, form, original, originals })),
      ...namedDates(digits, { locale, form, foreign }),
    ];
  });
  return [...new Map(found.map((one) => [one.subject + one.message, one])).values()];
}

/** Form in which a locale writes dates. */
interface DateForm {
  /** Order of day, month and year in digits: `dmy`. */
  readonly numericOrder: string;
  /** Whether the day is before the name of the month. */
  readonly isDayFirst: boolean;
  /** Names of the months, in lower case, also in the forms that they have in dates. */
  readonly months: ReadonlySet<string>;
}

const sampleDay = Date.UTC(2026, 10, 23);
const base = { timeZone: "UTC", calendar: "gregory", numberingSystem: "latn" } as const;
const forms = new Map<string, DateForm>();

function dateForm(locale: string): DateForm {
  const known = forms.get(locale);
  if (known !== undefined) return known;
  const orderOf = (options: Intl.DateTimeFormatOptions): string => {
    const parts = new Intl.DateTimeFormat(locale, { ...base, ...options }).formatToParts(sampleDay);
    return parts.flatMap(({ type }) => (["day", "month", "year"].includes(type) ? [type.charAt(0)] : [])).join("");
  };
  const long = orderOf({ day: "numeric", month: "long", year: "numeric" });
  const form = {
    numericOrder: orderOf({ day: "2-digit", month: "2-digit", year: "numeric" }),
    isDayFirst: long.indexOf("d") < long.indexOf("m"),
    months: new Set(monthNames(locale)),
  };
  forms.set(locale, form);
  return form;
}

function monthNames(locale: string): readonly string[] {
  const names: string[] = [];
  for (const options of [{ month: "long" }, { month: "long", day: "numeric" }, { month: "short" }] as const) {
    const format = new Intl.DateTimeFormat(locale, { ...base, ...options });
    for (let month = 0; month < 12; month += 1) {
      const parts = format.formatToParts(Date.UTC(2026, month, 15));
      const name = parts.find(({ type }) => type === "month")?.value ?? "";
      names.push(name.toLocaleLowerCase(locale).replace(/\.$/, ""));
    }
  }
  return names;
}

/** Returns the languages of the names of months that others use and this locale does not. */
function foreignMonths(locale: string, others: readonly MailOfLocale[]): ReadonlyMap<string, string> {
  const { months } = dateForm(locale);
  const foreign = new Map<string, string>();
  for (const { locale: other } of others) {
    if (languageOf(other) === languageOf(locale)) continue;
    for (const name of dateForm(other).months) if (name.length > 2 && !months.has(name)) foreign.set(name, other);
  }
  return foreign;
}

function numericDates(text: string): readonly RegExpExecArray[] {
  return [...withPlainDigits(text).matchAll(numericDate)];
}

interface Numeric {
  readonly locale: string;
  readonly form: DateForm;
  readonly original: MailOfLocale;
  readonly originals: ReadonlySet<string>;
}

function judgeNumeric(
  match: RegExpExecArray,
  { locale, form, original, originals }: Numeric,
): readonly LocalisationFinding[] {
  const [date = "", first = "", , second = ""] = match;
  const [one, other] = [Number(first), Number(second)];
  if (!isDate(one, other)) return [];
  const isCopied = originals.has(date) && one !== other && dateForm(original.locale).numericOrder !== form.numericOrder;
  const reason =
    reasonOfOrder(locale, form.numericOrder, [one, other]) ??
    (isCopied && locale !== "en" ? `is that of ${original.locale}, and another day for readers of ${locale}` : null);
  return reason === null ? [] : [{ rule: "date", message: `The date ${date} ${reason}`, subject: date }];
}

function isDate(one: number, other: number): boolean {
  const [month, day] = [Math.min(one, other), Math.max(one, other)];
  return month > 0 && month <= 12 && day <= 31;
}

/** Returns why two numbers before a year are in the order of another locale; null where they may be in that of this one. */
function reasonOfOrder(locale: string, order: string, [one, other]: readonly [number, number]): string | null {
  if (yearFirst.has(languageOf(locale))) return `has the year last, and ${locale} writes it first`;
  if (order === "dmy" && other > 12) return `has the month first, and ${locale} writes the day first`;
  // English without a region is written both ways.
  return order === "mdy" && one > 12 && locale !== "en"
    ? `has the day first, and ${locale} writes the month first`
    : null;
}

const monthFirst = /(?<!\p{L})(\p{L}[\p{L}\p{M}]{2,})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/gu;
const dayFirst =
  /(?<!\d)(\d{1,2})(?:\.|º|er|st|nd|rd|th)?(?: de)? (\p{L}[\p{L}\p{M}]{2,})\.?(?: de)?,? (\d{4})(?!\d)/gu;

function namedDates(
  text: string,
  {
    locale,
    form,
    foreign,
  }: { readonly locale: string; readonly form: DateForm; readonly foreign: ReadonlyMap<string, string> },
): readonly LocalisationFinding[] {
  const dates = [
    ...Array.from(text.matchAll(monthFirst), ([date, name = ""]) => ({ date, name, isMonthFirst: true })),
    ...Array.from(text.matchAll(dayFirst), ([date, , name = ""]) => ({ date, name, isMonthFirst: false })),
  ];
  return dates.flatMap(({ date, name, isMonthFirst }): readonly LocalisationFinding[] => {
    const plain = name.toLocaleLowerCase(locale);
    const other = foreign.get(plain) ?? foreign.get(name.toLowerCase());
    const subject = date.trim();
    if (other !== undefined && !form.months.has(plain))
      return [{ rule: "date", message: `The date ${subject} names the month in ${other}`, subject }];
    const isOwn = form.months.has(plain);
    // The British write both.
    if (!isOwn || !isMonthFirst || !form.isDayFirst || languageOf(locale) === "en") return [];
    return [
      { rule: "date", message: `The date ${subject} has the month first, and ${locale} writes the day first`, subject },
    ];
  });
}

/** Returns the text with European digits in place of those of other scripts. */
function withPlainDigits(text: string): string {
  return text.replaceAll(/[\u0660-\u0669\u06F0-\u06F9\u0966-\u096F]/g, (digit) => String(plainDigit(digit)));
}

const zeros = [0x0660, 0x06f0, 0x0966] as const;

function plainDigit(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  const zero = zeros.findLast((one) => one <= code) ?? code;
  return code - zero;
}
