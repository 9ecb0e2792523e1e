import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { deliveryRoutes } from "./delivery-routes.ts";
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
  callbackDeliverySchema,
} from "../../wire/delivery-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { listCallbackFormats } from "../../../operations/callbacks/callback-formats.ts";
import {
  createInboundRoute,
  putEventWebhook,
  rotateSecrets,
  updateInboundRoute,
} from "../../../operations/callbacks/provider-targets.ts";
import {
  checkWebhook,
  createWebhook,
  pingWebhook,
  rotateWebhookSecret,
  selectsAll,
  updateWebhook,
} from "../../../operations/callbacks/webhooks.ts";
import { auditedAct, responseText } from "../../audit.ts";
import {
  callbackFormatsSchema,
  eventWebhookRequestSchema,
  eventWebhookSchema,
  inboundRouteChangeSchema,
  inboundRouteRequestSchema,
  inboundRouteSchema,
  targetSecretSchema,
  toWireTarget,
  webhookChangeSchema,
  webhookRequestSchema,
  webhookSchema,
  webhookSecretSchema,
} from "../../wire/callback-schema.ts";
import { deleteRoute, getRoute, listRoute, pathOf, secretRoute, type RoutedKind } from "./target-routes.ts";

const webhooks: RoutedKind<"webhook"> = {
  kind: "webhook",
  path: "/api/servers/:id/webhooks",
  onePath: "/api/servers/:id/webhooks/:webhook",
  parameter: "webhook",
  name: "Webhook",
  object: "webhook",
  label: "webhook",
  one: "a webhook",
  schema: webhookSchema,
};

const eventWebhooks: RoutedKind<"events"> = {
  kind: "events",
  path: "/api/servers/:id/event-webhooks",
  onePath: "/api/servers/:id/event-webhooks/:provider",
  parameter: "provider",
  name: "EventWebhook",
  object: "event_webhook",
  label: "event webhook",
  one: "the event webhook of a provider",
  schema: eventWebhookSchema,
};

const inboundRoutes: RoutedKind<"inbound"> = {
  kind: "inbound",
  path: "/api/servers/:id/inbound-routes",
  onePath: "/api/servers/:id/inbound-routes/:route",
  parameter: "route",
  name: "InboundRoute",
  object: "inbound_route",
  label: "inbound route",
  one: "an inbound route",
  schema: inboundRouteSchema,
};

/** Routes of webhooks, of event webhooks, of inbound routes, and of the formats of callbacks. */
const targetRoutes: readonly KeyRoute[] = [
  listRoute(webhooks),
  {
    method: "POST",
    path: webhooks.path,
    operationId: "createWebhook",
    audit: (call, response) => auditedAct("webhook.create", { target: responseText(response, "id"), server: call.id }),
    summary: "Create a webhook, by which the application is called about messages of a server.",
    access: "key",
    body: { schema: webhookRequestSchema, required: ["url"], bytesMax: jsonBodyBytesMax },
    successes: [
      { status: 200, description: "The webhook with its secret, which is shown once.", schema: webhookSchema },
    ],
    problems: ["invalid_request", "not_found", "limit_reached", "storage_full"],
    respond: async (call) => {
      const request = decodeBody(webhookRequestSchema, call.body, ({ secret, state: _state, ...change }, wrong) => {
        const url = wrong.has("url") ? undefined : change.url;
        checkWebhook(call.context, { ...selectsAll, url }, { change, secret });
      });
      return jsonResponse(
        toWireTarget(await createWebhook(call.context, call.principal, { server: call.id, request })),
      );
    },
  },
  getRoute(webhooks),
  {
    method: "PUT",
    path: webhooks.onePath,
    operationId: "updateWebhook",
    audit: (call) =>
      auditedAct("webhook.update", {
        target: pathOf(webhooks, call).target,
        server: call.id,
        details: { fields: Object.keys(decodeBody(webhookChangeSchema, call.body)) },
      }),
    summary: "Change a webhook: the members that are given.",
    access: "key",
    body: { schema: webhookChangeSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The webhook as it is now.", schema: webhookSchema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const change = decodeBody(webhookChangeSchema, call.body);
      return jsonResponse(
        toWireTarget(await updateWebhook(call.context, call.principal, { ...pathOf(webhooks, call), change })),
      );
    },
  },
  deleteRoute(webhooks),
  secretRoute(webhooks, {
    summary: "Replace the secret of a webhook; the old one signs too for 24 hours.",
    body: webhookSecretSchema,
    rotate: rotateWebhookSecret,
  }),
  {
    method: "POST",
    path: `${webhooks.onePath}/ping`,
    operationId: "pingWebhook",
    permission: "send",
    summary: "Send the event `ping` to a webhook.",
    access: "key",
    successes: [{ status: 201, description: "The delivery.", schema: callbackDeliverySchema }],
    problems: ["not_found", "limit_reached", "storage_full"],
    respond: async (call) => {
      const delivery = await pingWebhook(call.context, call.principal, pathOf(webhooks, call));
      return { ...jsonResponse(toWireDelivery(delivery)), status: 201 };
    },
  },
  {
    method: "GET",
    path: "/api/callback-formats",
    operationId: "getCallbackFormats",
    summary: "Retrieve the providers with event webhooks and the formats of inbound mail, with their settings.",
    access: "key",
    permission: "any",
    successes: [{ status: 200, description: "The formats.", schema: callbackFormatsSchema }],
    problems: [],
    respond: async () => jsonResponse(await listCallbackFormats()),
  },
  listRoute(eventWebhooks),
  getRoute(eventWebhooks),
  {
    method: "PUT",
    path: eventWebhooks.onePath,
    operationId: "putEventWebhook",
    audit: (call, response) =>
      auditedAct("event_webhook.put", {
        target: responseText(response, "id"),
        server: call.id,
        details: { fields: Object.keys(decodeBody(eventWebhookRequestSchema, call.body)) },
      }),
    summary: "Create or change the event webhook, to which the events of a provider are delivered.",
    access: "key",
    body: { schema: eventWebhookRequestSchema, bytesMax: jsonBodyBytesMax },
    successes: [
      {
        status: 200,
        description: "The event webhook; with its secret, which is shown once, when it was made.",
        schema: eventWebhookSchema,
      },
    ],
    problems: ["invalid_request", "not_found", "conflict", "limit_reached", "storage_full"],
    respond: async (call) => {
      const request = decodeBody(eventWebhookRequestSchema, call.body);
      const webhook = await putEventWebhook(call.context, call.principal, { ...pathOf(eventWebhooks, call), request });
      return jsonResponse(toWireTarget(webhook));
    },
  },
  deleteRoute(eventWebhooks),
  secretRoute(eventWebhooks, {
    summary: "Replace the secrets and keys of an event webhook.",
    body: targetSecretSchema,
    rotate: rotateSecrets,
  }),
  listRoute(inboundRoutes),
  {
    method: "POST",
    path: inboundRoutes.path,
    operationId: "createInboundRoute",
    audit: (call, response) =>
      auditedAct("inbound_route.create", { target: responseText(response, "id"), server: call.id }),
    summary: "Create a route, by which mail to an address is handed to the application.",
    access: "key",
    body: { schema: inboundRouteRequestSchema, required: ["pattern", "shape", "url"], bytesMax: jsonBodyBytesMax },
    successes: [
      { status: 200, description: "The route with its secret, which is shown once.", schema: inboundRouteSchema },
    ],
    problems: ["invalid_request", "not_found", "limit_reached", "storage_full"],
    respond: async (call) => {
      const request = decodeBody(inboundRouteRequestSchema, call.body);
      const route = await createInboundRoute(call.context, call.principal, { server: call.id, request });
      return jsonResponse(toWireTarget(route));
    },
  },
  getRoute(inboundRoutes),
  {
    method: "PUT",
    path: inboundRoutes.onePath,
    operationId: "updateInboundRoute",
    audit: (call) =>
      auditedAct("inbound_route.update", {
        target: pathOf(inboundRoutes, call).target,
        server: call.id,
        details: { fields: Object.keys(decodeBody(inboundRouteChangeSchema, call.body)) },
      }),
    summary: "Change an inbound route: the members that are given.",
    access: "key",
    body: { schema: inboundRouteChangeSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The inbound route as it is now.", schema: inboundRouteSchema }],
    problems: ["invalid_request", "not_found", "conflict", "storage_full"],
    respond: async (call) => {
      const change = decodeBody(inboundRouteChangeSchema, call.body);
      const route = await updateInboundRoute(call.context, call.principal, { ...pathOf(inboundRoutes, call), change });
      return jsonResponse(toWireTarget(route));
    },
  },
  deleteRoute(inboundRoutes),
  secretRoute(inboundRoutes, {
    summary: "Replace the secrets and keys of an inbound route.",
    body: targetSecretSchema,
    rotate: rotateSecrets,
  }),
];

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
export const callbackRoutes: readonly KeyRoute[] = [...targetRoutes, ...deliveryRoutes, ...messageCallbackRoutes];
