/** Judges the translations of templates: cases that differ in their locale alone. */
import type { RestanteClient } from "../../client/client.ts";
import type { TemplateConfig } from "../../templates/template-config.ts";
import type { TemplateCase } from "../../templates/template-files.ts";
import type { TemplateFailure, TemplateResult } from "./template-report.ts";

/** Case with its message, null after an error, and its result. */
export interface JudgedTemplate {
  readonly template: TemplateCase;
  readonly message: string | null;
  readonly result: TemplateResult;
}

/** Returns the results with the faults of translations, in the given order. */
export async function judgeTranslations(
  client: RestanteClient,
  { locales = [], localisation = {} }: TemplateConfig,
  judged: readonly JudgedTemplate[],
): Promise<readonly TemplateResult[]> {
  const faults = new Map<string, readonly TemplateFailure[]>();
  const groups = Map.groupBy(judged, ({ template }) => template.group);
  for (const group of groups.values()) {
    const mails = group
      .flatMap(({ template: { locale }, message, result }) =>
        locale === null || message === null ? [] : [{ locale, message, result }],
      )
      .toSorted((one, other) => locales.indexOf(one.locale) - locales.indexOf(other.locale));
    if (mails.length === 0) continue;
    const { keep = [] } = localisation;
    const messages = mails.map(({ locale, message }) => ({ id: message, locale }));
    const report = await client.analysis.localisation({ messages, keep: [...keep] });
    for (const [at, { findings }] of report.locales.entries()) {
      const result = mails[at]?.result;
      if (result === undefined) continue;
      const { file } = result;
      faults.set(
        result.id,
        findings.map(({ rule, message, subject }) => {
          return { assertion: "localisation", rule, message, detail: subject, file, line: null };
        }),
      );
    }
  }
  return judged.map(({ result }) => ({ ...result, failures: [...result.failures, ...(faults.get(result.id) ?? [])] }));
}
