/** Compares a mail with its translations. */
import type { LocalisationFinding } from "../../core/localisation.ts";
import { findWrongDates } from "./date-forms.ts";
import { findMissingTranslations, type MailOfLocale } from "./missing-translations.ts";
import { findWrongPlurals } from "./plural-forms.ts";
import { findWrongDirection } from "./text-direction.ts";

const findingCountMax = 100;

/** Mails of a comparison; survives JSON. */
export interface ComparedMails {
  readonly mails: readonly MailOfLocale[];
  /** Index of the mail of the default locale. */
  readonly original: number;
  /** Texts that are equal in all languages. */
  readonly keep: readonly string[];
}

/** Returns the faults of each mail, in the given order. Never throws for canonical locales. */
export function compareLocales({
  mails,
  original: at,
  keep,
}: ComparedMails): readonly (readonly LocalisationFinding[])[] {
  const original = mails[at];
  if (original === undefined) return mails.map(() => []);
  return mails.map((one) => {
    const others = mails.filter((other) => other !== one && other !== original);
    const { locale, mail } = one;
    const found = [
      ...(one === original ? [] : findMissingTranslations(one, { original, others, keep })),
      ...findWrongDirection(locale, mail),
      ...findWrongDates(one, { original, others }),
      ...findWrongPlurals(locale, mail),
    ];
    return found.slice(0, findingCountMax);
  });
}
