import { useMutation, type UseMutationResult, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type {
  AutoreplyFields,
  BounceFields,
  ComplaintFields,
  EmailFields,
  ForwardFields,
  Message,
  NumberChange,
  NumberRequest,
  PhoneNumber,
  Phrases,
  ReplyFields,
  SmsRequest,
  UnsubscribeReport,
  VerifiedAddress,
} from "../wire.ts";
import { requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { usePost, useDelete, useInvalidatingMutation, useItems } from "./use-requests.ts";

/** Request bodies of the actions that reply to a message, by the last segment of their path. */
export interface ReplyFieldsByKind {
  readonly reply: ReplyFields;
  readonly forward: ForwardFields;
  readonly bounce: BounceFields;
  readonly complaint: ComplaintFields;
  readonly autoreply: AutoreplyFields;
}

/** Replies to a message of a server, forwards it, or simulates a reply; the result is the sent message. */
export function useReplyAction<Kind extends keyof ReplyFieldsByKind>(
  kind: Kind,
  message: Pick<Message, "id" | "server">,
): UseMutationResult<Message, Error, ReplyFieldsByKind[Kind]> {
  return usePost(queryKeys.serverMessages(message.server), `/api/messages/${message.id}/${kind}`);
}

/** Sends an email unchanged to addresses; the result is the sent message. */
export function useRelease(
  message: Pick<Message, "id" | "server">,
): UseMutationResult<Message, Error, readonly string[]> {
  return useInvalidatingMutation(queryKeys.serverMessages(message.server), async (to) =>
    requestJson<Message>(`/api/messages/${message.id}/release`, { method: "POST", body: { to } }),
  );
}

/** Creates an email in a server: sends it or, without `send`, stores it as if it had been received. */
export function useCompose(server: string): UseMutationResult<Message, Error, EmailFields> {
  return usePost(queryKeys.serverMessages(server), `/api/messages?server=${server}`);
}

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
  return useDelete(queryKeys.verifiedAddresses, (id) => `/api/verified-addresses/${id}`);
}

/** Loads the phone numbers of all servers in order. */
export function usePhoneNumbers(): UseQueryResult<readonly PhoneNumber[]> {
  return useItems<PhoneNumber>(queryKeys.phoneNumbers, "/api/phone-numbers");
}

/** Assigns a phone number to a server. */
export function useAddNumber(): UseMutationResult<PhoneNumber, Error, NumberRequest> {
  return usePost(queryKeys.phoneNumbers, "/api/phone-numbers");
}

/** Changes a phone number. */
export function useUpdateNumber(): UseMutationResult<PhoneNumber, Error, { id: string; change: NumberChange }> {
  return useInvalidatingMutation(queryKeys.phoneNumbers, async ({ id, change }) =>
    requestJson<PhoneNumber>(`/api/phone-numbers/${id}`, { method: "PUT", body: change }),
  );
}

/** Stores an SMS as if an application had sent it. */
export function useReceiveSms(): UseMutationResult<Message, Error, SmsRequest> {
  return usePost(queryKeys.servers, "/api/sms");
}

/** Removes a phone number from its server. */
export function useRemoveNumber(): UseMutationResult<void, Error, string> {
  return useDelete(queryKeys.phoneNumbers, (id) => `/api/phone-numbers/${id}`);
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

/** Sends the one-click unsubscribe request of a message; resolves with its verdict. */
export function useUnsubscribe(
  id: string,
): UseMutationResult<UnsubscribeReport, Error, { readonly requireDkim: boolean }> {
  return useMutation({
    mutationFn: async (body) =>
      requestJson<UnsubscribeReport>(`/api/messages/${id}/unsubscribe`, { method: "POST", body }),
  });
}
