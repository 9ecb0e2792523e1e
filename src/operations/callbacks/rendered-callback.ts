/** Steps of rendering that receivers of all kinds of targets share. */
import {
  decodeDeliveryContent,
  type DeliveryContent,
  type RenderedCallback,
  type RequestDefect,
} from "../../egress/callbacks/delivery-content.ts";
import { localRefusal } from "../../egress/delivery-failure.ts";
import type { CallbackRequest } from "../../providers/callbacks.ts";
import type { CallbackTarget, StoredDelivery } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { openTargetSecrets, type TargetSecrets } from "./target-settings.ts";

/** Delivery with its content. */
export interface OpenedDelivery {
  readonly delivery: StoredDelivery;
  readonly content: DeliveryContent;
}

/** Returns a delivery with its content; throws the final failure of one without. */
export function openDelivery(delivery: StoredDelivery | undefined): OpenedDelivery {
  if (delivery === undefined) return refuse("There is nothing to deliver");
  return { delivery, content: contentOf(delivery) };
}

/** Returns the content of a delivery; throws the final failure of one whose content was erased. */
export function contentOf({ content }: StoredDelivery): DeliveryContent {
  return content === null ? refuse("The content was erased") : decodeDeliveryContent(content);
}

/** Returns the secrets of a target; throws the final failure of deliveries when they cannot be read. */
export function secretsOf(context: Context, target: CallbackTarget): TargetSecrets {
  return openTargetSecrets(context, target) ?? refuse("The secrets were sealed with another secret key");
}

/** Returns a request that is ready to be sent. */
export function rendered(
  url: string,
  request: CallbackRequest,
  { defect, deliveryCount = 1 }: { readonly defect: RequestDefect | null; readonly deliveryCount?: number },
): RenderedCallback {
  return { url, request, deliveryCount, isCutOff: defect === "cut_off" };
}

/** Throws the final failure of a delivery. */
export function refuse(text: string): never {
  throw localRefusal(text);
}
