/** Webhooks, event webhooks, inbound routes, and their deliveries. */
import type { UseMutationResult, UseQueryResult } from "@tanstack/react-query";
import type {
  CallbackDelivery,
  CallbackFormats,
  DeliveryDetail,
  EventRequest,
  EventWebhook,
  HandInboundRequest,
  InboundRoute,
  Webhook,
} from "../wire.ts";
import { request, requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useJson, useDelete, useInvalidatingMutation, useItems } from "./use-requests.ts";

/** Targets by the last segment of the path of their collection. */
export interface TargetByCollection {
  readonly webhooks: Webhook;
  readonly "event-webhooks": EventWebhook;
  readonly "inbound-routes": InboundRoute;
}

/** A collection of targets. */
export type TargetCollection = keyof TargetByCollection;

/** A configured receiver of callbacks. */
export type Target = TargetByCollection[TargetCollection];

/** Change to one target; without a member, a new target. */
export interface TargetSave {
  /** Last segment of the target's path; null for a new target. */
  readonly member: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

const deliveriesShownMax = 50;
const deliveriesPollMs = 2000;

/** Returns the last segment of a target's path: its provider for an event webhook, else its id. */
export function memberOf(target: Target): string {
  return "provider" in target ? target.provider : target.id;
}

/** Loads the targets of a collection, oldest first. */
export function useTargets<Collection extends TargetCollection>(
  server: string,
  collection: Collection,
): UseQueryResult<readonly TargetByCollection[Collection][]> {
  return useItems<TargetByCollection[Collection]>(
    queryKeys.targets(server, collection),
    `/api/servers/${server}/${collection}`,
  );
}

/** Loads the providers with event webhooks, and the formats of inbound mail. */
export function useCallbackFormats(): UseQueryResult<CallbackFormats> {
  return useJson(queryKeys.callbackFormats, "/api/callback-formats", { staleTime: Infinity });
}

/** Creates or changes a target. */
export function useSaveTarget(
  server: string,
  collection: TargetCollection,
): UseMutationResult<Target, Error, TargetSave> {
  return useInvalidatingMutation(queryKeys.callbacks(server), async ({ member, body }) => {
    const path = `/api/servers/${server}/${collection}`;
    return member === null
      ? requestJson<Target>(path, { method: "POST", body })
      : requestJson<Target>(`${path}/${member}`, { method: "PUT", body });
  });
}

/** Replaces the secret of a target. */
export function useRotateTarget(
  server: string,
  collection: TargetCollection,
): UseMutationResult<Target, Error, string> {
  return useInvalidatingMutation(queryKeys.callbacks(server), async (member) =>
    requestJson<Target>(`/api/servers/${server}/${collection}/${member}/secret`, { method: "POST", body: {} }),
  );
}

/** Removes a target with its deliveries. */
export function useRemoveTarget(server: string, collection: TargetCollection): UseMutationResult<void, Error, string> {
  return useDelete(queryKeys.callbacks(server), (member) => `/api/servers/${server}/${collection}/${member}`);
}

/** Delivers a test event to a webhook. */
export function usePingWebhook(server: string): UseMutationResult<void, Error, string> {
  return useInvalidatingMutation(queryKeys.callbacks(server), async (webhook) => {
    await request(`/api/servers/${server}/webhooks/${webhook}/ping`, { method: "POST", body: {} });
  });
}

/** Loads the newest deliveries of a server, again every two seconds; those with a status, or all with "". */
export function useDeliveries(server: string, status: string): UseQueryResult<readonly CallbackDelivery[]> {
  const query = new URLSearchParams({ itemsPerPage: String(deliveriesShownMax), ...(status !== "" && { status }) });
  return useItems<CallbackDelivery>(
    queryKeys.deliveries(server, status),
    `/api/servers/${server}/deliveries?${query.toString()}`,
    { refetchInterval: deliveriesPollMs },
  );
}

/** Loads a delivery with its request and attempts. */
export function useDelivery(server: string, id: string): UseQueryResult<DeliveryDetail> {
  const path = `/api/servers/${server}/deliveries/${id}`;
  return useJson(queryKeys.delivery(server, id), path, { refetchInterval: deliveriesPollMs });
}

/** Delivers one delivery again or, with null, all failed ones. */
export function useReplay(server: string): UseMutationResult<void, Error, string | null> {
  return useInvalidatingMutation(queryKeys.callbacks(server), async (id) => {
    const path = `/api/servers/${server}/deliveries`;
    await request(id === null ? `${path}/replay` : `${path}/${id}/replay`, { method: "POST", body: {} });
  });
}

/** Emits events of a provider about a message. */
export function useEmitEvents(server: string, message: string): UseMutationResult<void, Error, EventRequest> {
  return useInvalidatingMutation(queryKeys.callbacks(server), async (body) => {
    await request(`/api/messages/${message}/events`, { method: "POST", body });
  });
}

/** Hands a message to the application. */
export function useHandInbound(server: string, message: string): UseMutationResult<void, Error, HandInboundRequest> {
  return useInvalidatingMutation(queryKeys.callbacks(server), async (body) => {
    await request(`/api/messages/${message}/inbound`, { method: "POST", body });
  });
}
