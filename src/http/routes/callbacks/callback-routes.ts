import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { deliveryRoutes } from "./delivery-routes.ts";
import { eventWebhookRoutes } from "./event-webhook-routes.ts";
import { inboundRouteRoutes } from "./inbound-route-routes.ts";
import { webhookRoutes } from "./webhook-routes.ts";
import { emitEvents } from "../../../operations/callbacks/emit-events.ts";
import { handInbound } from "../../../operations/callbacks/hand-inbound.ts";
import type { ShownDelivery } from "../../../operations/callbacks/shown-target.ts";
import { type HttpResponse, jsonResponse } from "../../http-response.ts";
import { decodeInstant } from "../../wire/query.ts";
import {
  eventRequestSchema,
  handInboundSchema,
  madeDeliveriesSchema,
  toWireDelivery,
} from "../../wire/delivery-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

const shared = {
  method: "POST",
  access: "key",
  permission: "send",
  successes: [{ status: 201, description: "The deliveries.", schema: madeDeliveriesSchema }],
  problems: ["invalid_request", "not_found", "limit_reached", "storage_full"],
} as const satisfies Partial<KeyRoute>;

function madeResponse(deliveries: readonly ShownDelivery[]): HttpResponse {
  return { ...jsonResponse({ deliveries: deliveries.map(toWireDelivery) }), status: 201 };
}

/** Routes that make callbacks about one message. */
const messageCallbackRoutes: readonly KeyRoute[] = [
  {
    ...shared,
    path: "/api/messages/:id/events",
    operationId: "emitEvents",
    summary: "Report events about a mail to the application, as the provider would.",
    body: { schema: eventRequestSchema, bytesMax: jsonBodyBytesMax },
    respond: async (call) => {
      const { at, ...request } = decodeBody(eventRequestSchema, call.body);
      const instant = at === undefined ? {} : { at: decodeInstant("at", at) };
      const emission = { id: call.id, request: { ...request, ...instant } };
      return madeResponse(await emitEvents(call.context, call.principal, emission));
    },
  },
  {
    ...shared,
    path: "/api/messages/:id/inbound",
    operationId: "handInbound",
    summary: "Hand a mail to the application, as a provider of inbound mail would.",
    body: { schema: handInboundSchema, bytesMax: jsonBodyBytesMax },
    respond: async (call) => {
      const request = decodeBody(handInboundSchema, call.body);
      return madeResponse(await handInbound(call.context, call.principal, { id: call.id, request }));
    },
  },
];

/** Routes of webhooks, event webhooks, inbound routes and deliveries. */
export const callbackRoutes: readonly KeyRoute[] = [
  ...webhookRoutes,
  ...eventWebhookRoutes,
  ...inboundRouteRoutes,
  ...deliveryRoutes,
  ...messageCallbackRoutes,
];
