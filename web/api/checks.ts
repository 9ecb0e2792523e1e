/** Requests for the analysis of emails. */
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { TranslationQuery } from "../navigation/translation-query.ts";
import type { LocalisationReport, MailReports, Compatibility, Deliverability, LintReport, Scan } from "../wire.ts";
import { requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useJson } from "./use-requests.ts";

/** Loads the lint report of a message, if `enabled`. */
export function useLint(id: string, enabled = true): UseQueryResult<LintReport> {
  return useJson(queryKeys.lint(id), `/api/analysis/lint/${id}`, { enabled, staleTime: Infinity });
}

/** Loads the comparison of a message's HTML with the features of email clients; null for a message without HTML. */
export function useCompatibility(id: string): UseQueryResult<Compatibility | null> {
  return useJson(queryKeys.compatibility(id), `/web/messages/${id}/compatibility`, { staleTime: Infinity });
}

/** Loads the reports in a message. */
export function useReports(id: string): UseQueryResult<MailReports> {
  return useJson(queryKeys.reports(id), `/api/analysis/reports/${id}`);
}

/** Loads the deliverability report of a message, if `enabled`; its DNS lookups are repeated each time. */
export function useDeliverability(id: string, enabled = true): UseQueryResult<Deliverability> {
  return useJson(queryKeys.deliverability(id), `/api/analysis/deliverability/${id}`, { enabled });
}

/** Returns the reports that {@link useLint} and {@link useDeliverability} have loaded, without loading them. */
export function useKnownReports(id: string): {
  readonly lint: LintReport | undefined;
  readonly delivery: Deliverability | undefined;
} {
  return { lint: useLint(id, false).data, delivery: useDeliverability(id, false).data };
}

/** Loads the scan of the links of a message. */
export function useScan(id: string): UseQueryResult<Scan> {
  return useJson(queryKeys.scan(id), `/api/messages/${id}/scan`);
}

/** Compares the mails of a query; idle without mails. While another query is compared, the result of the former one stays. */
export function useLocalisation({ mails, original, keep }: TranslationQuery): UseQueryResult<LocalisationReport> {
  const body = {
    messages: mails.map(({ id, locale }) => (locale === "" ? { id } : { id, locale })),
    ...(original !== "" && { default: original }),
    keep,
  };
  return useQuery({
    queryKey: queryKeys.localisation(JSON.stringify(body)),
    queryFn: async () => requestJson<LocalisationReport>("/api/analysis/localisation", { method: "POST", body }),
    enabled: mails.length > 0,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}
