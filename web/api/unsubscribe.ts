import { useMutation, type UseMutationResult } from "@tanstack/react-query";
import type { UnsubscribeReport } from "../wire.ts";
import { requestJson } from "./client.ts";

/** Sends the one-click unsubscribe request of a message; resolves with its verdict. */
export function useUnsubscribe(
  id: string,
): UseMutationResult<UnsubscribeReport, Error, { readonly requireDkim: boolean }> {
  return useMutation({
    mutationFn: async (body) =>
      requestJson<UnsubscribeReport>(`/api/messages/${id}/unsubscribe`, { method: "POST", body }),
  });
}
