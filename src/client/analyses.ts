/** Analyses of mails for assertions: budgets, translations, snapshots and screenshots. */
import { waiting } from "./bounds.ts";
import type {
  BudgetReport,
  JudgeBudgetRequest,
  LocalisationReport,
  MatchScreenshotRequest,
  ScreenshotReport,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { toBase64 } from "./outgoing.ts";
import type { Transport } from "./transport.ts";

/** Limits that a mail has to meet. */
export interface MailBudget extends Omit<JudgeBudgetRequest, "support"> {
  /**
   * Least share of the used features in percent, by the email client of caniemail.com, or by the beginning of the name of
   * several: `{ outlook: 95 }`.
   */
  readonly support?: Readonly<Record<string, number>> | undefined;
}

/** Judges a mail by a budget. */
export async function judgeBudget(
  transport: Transport,
  { id, budget }: { readonly id: string; readonly budget: MailBudget },
  options?: RequestOptions,
): Promise<BudgetReport> {
  const { support, ...limits } = budget;
  const clients = Object.entries(support ?? {}).map(([client, percentMin]) => ({ client, percentMin }));
  const body = { ...limits, ...(support !== undefined && { support: clients }) };
  return transport.call("judgeBudget", { path: { id }, body }, options);
}

/** Returns the limits that a mail does not meet in words, each with its reasons on lines of their own. */
export function failuresOf({ verdicts }: BudgetReport): readonly string[] {
  const failed = verdicts.filter(({ isMet }) => !isMet);
  return failed.map(({ rule, limit, actual, findings }) => {
    const reasons = findings.map(({ message, subject, line }) => {
      const place = [line === null ? [] : [`line ${String(line)}`], subject ?? []].flat().join(": ");
      return `\n    ${message}${place === "" ? "" : ` (${place})`}`;
    });
    return `  ${rule}: ${actual}, expected ${limit}${reasons.join("")}`;
  });
}

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

/** Options of snapshots. */
export interface SnapshotOptions extends RequestOptions {
  /**
   * Values that differ from one sending to the next, by the name that stands for them, besides codes, ids, tokens, dates,
   * recipients and ports, which are masked anyway.
   */
  readonly mask?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Names of further header fields to show. */
  readonly headers?: readonly string[] | undefined;
}

/** Describes a message as a text that is equal for two sendings of the same message. */
export async function fetchSnapshot(
  transport: Transport,
  id: string,
  { mask = {}, headers = [], ...options }: SnapshotOptions = {},
): Promise<string> {
  const body = { mask: maskOf(mask), headers: [...headers] };
  return transport.call("snapshotMessage", { path: { id }, body }, options);
}

/** Returns the values to mask as requests have them. */
function maskOf(mask: NonNullable<SnapshotOptions["mask"]>): { name: string; value: string }[] {
  return Object.entries(mask).flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: one })));
}

/** Time for starting the browser and for rendering, with others before it. */
const renderMs = 60_000;

/** Options of screenshots. */
export interface ScreenshotOptions
  extends RequestOptions, Omit<MatchScreenshotRequest, "mask" | "baseline">, Pick<SnapshotOptions, "mask"> {
  /** PNG of a former screenshot. */
  readonly baseline?: Uint8Array | undefined;
}

/** Comparison of a screenshot, with its pictures as PNG. */
export interface Screenshot extends Omit<ScreenshotReport, "picture" | "difference"> {
  /** Null for a match. */
  readonly picture: Uint8Array | null;
  /** Screenshot in pale colours with the changed pixels in red; null for a match and without a baseline. */
  readonly difference: Uint8Array | null;
}

/** Renders a mail in an email client, and compares the picture with a baseline. */
export async function matchScreenshot(
  transport: Transport,
  id: string,
  { client, dark, mask, baseline, threshold, maxChangedPixels, ...options }: ScreenshotOptions = {},
): Promise<Screenshot> {
  const body = {
    ...(client !== undefined && { client }),
    ...(dark !== undefined && { dark }),
    ...(mask !== undefined && { mask: maskOf(mask) }),
    ...(baseline !== undefined && { baseline: toBase64(baseline) }),
    ...(threshold !== undefined && { threshold }),
    ...(maxChangedPixels !== undefined && { maxChangedPixels }),
  };
  const report = await transport.call("matchScreenshot", { path: { id }, body }, waiting(options, renderMs));
  return { ...report, picture: toBytes(report.picture), difference: toBytes(report.difference) };
}

function toBytes(base64: string | null): Uint8Array | null {
  return base64 === null ? null : Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
}
