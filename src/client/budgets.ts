/** Budgets of mails: limits that a mail has to meet. */
import type { BudgetReport, JudgeBudgetRequest } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
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
