/** Requests for the checks of an email. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { MailReports } from "../wire-reports.ts";
import type { Compatibility, Deliverability, LintReport } from "../wire.ts";
import { requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";

/** Loads the lint report of a message. */
export function useLint(id: string): UseQueryResult<LintReport> {
  return useQuery(lintQuery(id));
}

function lintQuery(id: string) {
  return {
    queryKey: queryKeys.lint(id),
    queryFn: async (): Promise<LintReport> => requestJson(`/api/analysis/lint/${id}`),
    staleTime: Infinity,
  };
}

/** Loads the comparison of a message's HTML with the features of email clients; null for a message without HTML. */
export function useCompatibility(id: string): UseQueryResult<Compatibility | null> {
  return useQuery({
    queryKey: queryKeys.compatibility(id),
    queryFn: async () => requestJson<Compatibility | null>(`/web/messages/${id}/compatibility`),
    staleTime: Infinity,
  });
}

/** Loads the reports in a message. */
export function useReports(id: string): UseQueryResult<MailReports> {
  return useQuery({
    queryKey: queryKeys.reports(id),
    queryFn: async () => requestJson<MailReports>(`/api/analysis/reports/${id}`),
  });
}

/** Loads the deliverability report of a message; its DNS lookups are repeated each time. */
export function useDeliverability(id: string): UseQueryResult<Deliverability> {
  return useQuery(deliverabilityQuery(id));
}

function deliverabilityQuery(id: string) {
  return {
    queryKey: queryKeys.deliverability(id),
    queryFn: async (): Promise<Deliverability> => requestJson(`/api/analysis/deliverability/${id}`),
  };
}

/** Returns the reports that {@link useLint} and {@link useDeliverability} have loaded, without loading them. */
export function useKnownReports(id: string): {
  readonly lint: LintReport | undefined;
  readonly delivery: Deliverability | undefined;
} {
  const { data: lint } = useQuery({ ...lintQuery(id), enabled: false });
  const { data: delivery } = useQuery({ ...deliverabilityQuery(id), enabled: false });
  return { lint, delivery };
}
