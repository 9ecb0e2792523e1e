/** Comparison of a mail with its translations. */
import type { LocalisationReport } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Translations of a mail by language tag (BCP 47): `{ de: german, "pt-BR": brazilian }`. */
export type MailTranslations = Readonly<Record<string, { readonly id: string }>>;

/** Options of a comparison with translations. */
export interface TranslationOptions extends RequestOptions {
  /** Language tag of the mail itself; by default its `Content-Language`, else `lang` of its HTML. */
  readonly locale?: string | undefined;
  /** Texts that are equal in all languages, besides names, numbers, codes and URLs. */
  readonly keep?: readonly string[] | undefined;
}

/** Compares a mail with its translations. */
export async function compareTranslations(
  transport: Transport,
  { id, translations }: { readonly id: string; readonly translations: MailTranslations },
  { locale, keep = [], ...options }: TranslationOptions = {},
): Promise<LocalisationReport> {
  const others = Object.entries(translations).map(([tag, other]) => ({ id: other.id, locale: tag }));
  const body = { messages: [{ id, ...(locale !== undefined && { locale }) }, ...others], keep: [...keep] };
  return transport.call("compareLocalisations", { body }, { ...options, isRepeatable: true });
}

/** Returns the faults of all mails in words, each with its locale and, on a line of its own, the text that has it. */
export function faultsOf({ locales }: LocalisationReport): readonly string[] {
  return locales.flatMap(({ locale, findings }) =>
    findings.map(({ message, subject }) => `  ${locale}: ${message}\n    ${JSON.stringify(subject)}`),
  );
}
