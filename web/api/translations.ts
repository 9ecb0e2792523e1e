/** Requests for the comparison of translations. */
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { TranslationQuery } from "../navigation/translation-query.ts";
import type { LocalisationReport } from "../wire-reports.ts";
import { requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";

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
