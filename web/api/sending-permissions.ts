/** What may leave, and from where: verified addresses, phone numbers, approved phrases. All are the account's. */
import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import type { NumberRequest, PhoneNumber, Phrases, VerifiedAddress } from "../wire.ts";
import { request, requestJson, itemsOf } from "./client.ts";

const addressesKey = ["verified-addresses"] as const;
const numbersKey = ["phone-numbers"] as const;
const phrasesKey = ["approved-phrases"] as const;

/** Verified and pending addresses, by address; none for a session that is restricted to a server. */
export function useVerifiedAddresses(isAccount: boolean): UseQueryResult<readonly VerifiedAddress[]> {
  return useQuery({
    queryKey: addressesKey,
    queryFn: async () => itemsOf(await requestJson<readonly VerifiedAddress[]>("/api/verified-addresses")),
    enabled: isAccount,
  });
}

/** Has the owner of an address asked. */
export function useAddAddress(): UseMutationResult<VerifiedAddress, Error, string> {
  return usePermissionMutation(addressesKey, async (address) =>
    requestJson<VerifiedAddress>("/api/verified-addresses", { method: "POST", body: { address } }),
  );
}

/** Verifies an address with the token that its owner was mailed. */
export function useVerifyAddress(id: string): UseMutationResult<VerifiedAddress, Error, string> {
  return usePermissionMutation(addressesKey, async (token) =>
    requestJson<VerifiedAddress>(`/api/verified-addresses/${id}/verify`, { method: "POST", body: { token } }),
  );
}

/** Takes an address away; from then on nothing leaves to it. */
export function useRemoveAddress(): UseMutationResult<void, Error, string> {
  return usePermissionMutation(addressesKey, async (id) => {
    await request(`/api/verified-addresses/${id}`, { method: "DELETE" });
  });
}

/** The numbers of all servers, in order. */
export function usePhoneNumbers(): UseQueryResult<readonly PhoneNumber[]> {
  return useQuery({
    queryKey: numbersKey,
    queryFn: async () => itemsOf(await requestJson<readonly PhoneNumber[]>("/api/phone-numbers")),
  });
}

/** Gives a number to a server. */
export function useAddNumber(): UseMutationResult<PhoneNumber, Error, NumberRequest> {
  return usePermissionMutation(numbersKey, async (body) =>
    requestJson<PhoneNumber>("/api/phone-numbers", { method: "POST", body }),
  );
}

/** Takes a number from its server. */
export function useRemoveNumber(): UseMutationResult<void, Error, string> {
  return usePermissionMutation(numbersKey, async (id) => {
    await request(`/api/phone-numbers/${id}`, { method: "DELETE" });
  });
}

/** What texts may be answered with. */
export function usePhrases(): UseQueryResult<readonly string[]> {
  return useQuery({
    queryKey: phrasesKey,
    queryFn: async () => (await requestJson<Phrases>("/api/approved-phrases")).phrases,
  });
}

/** Replaces all phrases; what is wrong with one is said, and nothing changes. */
export function useSetPhrases(): UseMutationResult<Phrases, Error, readonly string[]> {
  return usePermissionMutation(phrasesKey, async (phrases) =>
    requestJson<Phrases>("/api/approved-phrases", { method: "PUT", body: { phrases } }),
  );
}

function usePermissionMutation<Result, Input>(
  queryKey: readonly string[],
  mutationFn: (input: Input) => Promise<Result>,
): UseMutationResult<Result, Error, Input> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey });
    },
  });
}
