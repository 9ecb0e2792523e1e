/** Account settings that limit sending: verified addresses, phone numbers, approved phrases. */
import { useQuery, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import type {
  Message,
  NumberChange,
  NumberRequest,
  PhoneNumber,
  Phrases,
  SmsRequest,
  VerifiedAddress,
} from "../wire.ts";
import { request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useItems } from "./use-items.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";

/** Loads verified and pending addresses in order; none for sessions that are restricted to a server. */
export function useVerifiedAddresses(isAccount: boolean): UseQueryResult<readonly VerifiedAddress[]> {
  return useItems<VerifiedAddress>(queryKeys.verifiedAddresses, "/api/verified-addresses", { enabled: isAccount });
}

/** Sends a verification token to an address and lists the address as pending. */
export function useAddAddress(): UseMutationResult<VerifiedAddress, Error, string> {
  return useInvalidatingMutation(queryKeys.verifiedAddresses, async (address) =>
    requestJson<VerifiedAddress>("/api/verified-addresses", { method: "POST", body: { address } }),
  );
}

/** Verifies an address with the token that was sent to it. */
export function useVerifyAddress(id: string): UseMutationResult<VerifiedAddress, Error, string> {
  return useInvalidatingMutation(queryKeys.verifiedAddresses, async (token) =>
    requestJson<VerifiedAddress>(`/api/verified-addresses/${id}/verify`, { method: "POST", body: { token } }),
  );
}

/** Removes an address. */
export function useRemoveAddress(): UseMutationResult<void, Error, string> {
  return useInvalidatingMutation(queryKeys.verifiedAddresses, async (id) => {
    await request(`/api/verified-addresses/${id}`, { method: "DELETE" });
  });
}

/** Loads the phone numbers of all servers in order. */
export function usePhoneNumbers(): UseQueryResult<readonly PhoneNumber[]> {
  return useItems<PhoneNumber>(queryKeys.phoneNumbers, "/api/phone-numbers");
}

/** Assigns a phone number to a server. */
export function useAddNumber(): UseMutationResult<PhoneNumber, Error, NumberRequest> {
  return useInvalidatingMutation(queryKeys.phoneNumbers, async (body) =>
    requestJson<PhoneNumber>("/api/phone-numbers", { method: "POST", body }),
  );
}

/** Changes a phone number. */
export function useUpdateNumber(): UseMutationResult<PhoneNumber, Error, { id: string; change: NumberChange }> {
  return useInvalidatingMutation(queryKeys.phoneNumbers, async ({ id, change }) =>
    requestJson<PhoneNumber>(`/api/phone-numbers/${id}`, { method: "PUT", body: change }),
  );
}

/** Stores an SMS as if an application had sent it. */
export function useReceiveSms(): UseMutationResult<Message, Error, SmsRequest> {
  return useInvalidatingMutation(queryKeys.servers, async (body) =>
    requestJson<Message>("/api/sms", { method: "POST", body }),
  );
}

/** Removes a phone number from its server. */
export function useRemoveNumber(): UseMutationResult<void, Error, string> {
  return useInvalidatingMutation(queryKeys.phoneNumbers, async (id) => {
    await request(`/api/phone-numbers/${id}`, { method: "DELETE" });
  });
}

/** Loads the phrases that SMS replies are limited to. */
export function usePhrases(): UseQueryResult<readonly string[]> {
  return useQuery({
    queryKey: queryKeys.approvedPhrases,
    queryFn: async () => (await requestJson<Phrases>("/api/approved-phrases")).phrases,
  });
}

/** Replaces all phrases. */
export function useSetPhrases(): UseMutationResult<Phrases, Error, readonly string[]> {
  return useInvalidatingMutation(queryKeys.approvedPhrases, async (phrases) =>
    requestJson<Phrases>("/api/approved-phrases", { method: "PUT", body: { phrases } }),
  );
}
