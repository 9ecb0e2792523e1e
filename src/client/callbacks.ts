/** Requests to the application: webhooks, event webhooks, inbound routes, and their deliveries. */
import type { Methods } from "./generated/methods.ts";
import type { CallbackDelivery, ListDeliveriesQuery } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { itemsFrom } from "./page.ts";
import { Resource } from "./resource.ts";

/** Id of a webhook, and of its server. */
export type WebhookId = Parameters<Methods["getWebhook"]>[0];

/** Server and provider of an event webhook. */
export type EventWebhookId = Parameters<Methods["getEventWebhook"]>[0];

/** Id of an inbound route, and of its server. */
export type InboundRouteId = Parameters<Methods["getInboundRoute"]>[0];

/** Id of a delivery, and of its server. */
export type DeliveryId = Parameters<Methods["getDelivery"]>[0];

/** Options of lists of deliveries. */
export type DeliveryListOptions = RequestOptions & ListDeliveriesQuery;

/** Webhooks: the application is called about messages of a server. */
export class Webhooks extends Resource {
  /** Lists the webhooks of a server. */
  readonly list: Methods["listWebhooks"] = this.method("listWebhooks");
  /** Creates a webhook. Its secret is shown once. */
  readonly create: Methods["createWebhook"] = this.method("createWebhook");
  /** Fetches a webhook. */
  readonly get: Methods["getWebhook"] = this.method("getWebhook");
  /** Changes the given members of a webhook. */
  readonly update: Methods["updateWebhook"] = this.method("updateWebhook");
  /** Deletes a webhook with its deliveries. */
  readonly delete: Methods["deleteWebhook"] = this.method("deleteWebhook");
  /** Replaces the secret of a webhook; the old one signs, too, for 24 hours. */
  readonly rotateSecret: Methods["rotateWebhookSecret"] = this.method("rotateWebhookSecret");
  /** Sends the event `ping` to a webhook. */
  readonly ping: Methods["pingWebhook"] = this.method("pingWebhook");
}

/** Event webhooks: events of a mail are delivered as its provider would deliver them. */
export class EventWebhooks extends Resource {
  /** Lists the providers with event webhooks and the formats of inbound mail, with their settings. */
  readonly formats: Methods["getCallbackFormats"] = this.method("getCallbackFormats");
  /** Lists the event webhooks of a server. */
  readonly list: Methods["listEventWebhooks"] = this.method("listEventWebhooks");
  /** Fetches the event webhook of a provider. */
  readonly get: Methods["getEventWebhook"] = this.method("getEventWebhook");
  /** Creates or changes the event webhook of a provider. */
  readonly put: Methods["putEventWebhook"] = this.method("putEventWebhook");
  /** Deletes the event webhook of a provider with its deliveries. */
  readonly delete: Methods["deleteEventWebhook"] = this.method("deleteEventWebhook");
  /** Replaces the secrets and keys of an event webhook. */
  readonly rotateSecret: Methods["rotateEventWebhookSecret"] = this.method("rotateEventWebhookSecret");
}

/** Inbound routes: mail to an address is handed to the application. */
export class InboundRoutes extends Resource {
  /** Lists the inbound routes of a server. */
  readonly list: Methods["listInboundRoutes"] = this.method("listInboundRoutes");
  /** Creates an inbound route. */
  readonly create: Methods["createInboundRoute"] = this.method("createInboundRoute");
  /** Fetches an inbound route. */
  readonly get: Methods["getInboundRoute"] = this.method("getInboundRoute");
  /** Changes the given members of an inbound route. */
  readonly update: Methods["updateInboundRoute"] = this.method("updateInboundRoute");
  /** Deletes an inbound route with its deliveries. */
  readonly delete: Methods["deleteInboundRoute"] = this.method("deleteInboundRoute");
  /** Replaces the secrets and keys of an inbound route. */
  readonly rotateSecret: Methods["rotateInboundRouteSecret"] = this.method("rotateInboundRouteSecret");
}

/** Deliveries: requests to the application that webhooks, event webhooks and inbound routes cause. */
export class Deliveries extends Resource {
  /** Fetches a page of a server's deliveries, newest first. */
  readonly list: Methods["listDeliveries"] = this.method("listDeliveries");
  /** Fetches a delivery with its request and attempts. */
  readonly get: Methods["getDelivery"] = this.method("getDelivery");
  /** Delivers again. */
  readonly replay: Methods["replayDelivery"] = this.method("replayDelivery");
  /** Delivers again what matches; by default what has failed. */
  readonly replayAll: Methods["replayDeliveries"] = this.method("replayDeliveries");
  /** Erases the content of a delivery; a pending one is cancelled. */
  readonly erase: Methods["eraseDelivery"] = this.method("eraseDelivery");

  /** Iterates over all deliveries of a server, newest first. Fetches page after page. */
  all(server: string, options: DeliveryListOptions = {}): AsyncGenerator<CallbackDelivery, void, undefined> {
    return itemsFrom(this.list(server, options));
  }
}
