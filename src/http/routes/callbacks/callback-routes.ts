import { keyRoute } from "../rows.ts";
import type { KeyRoute } from "../../route.ts";
import { deliveryRoutes } from "./delivery-routes.ts";
import { emitEvents, handInbound } from "../../../operations/callbacks/emit-events.ts";
import { decodeInstant } from "../../wire/query.ts";
import {
  eventRequestSchema,
  handInboundSchema,
  madeDeliveriesSchema,
  callbackDeliverySchema,
} from "../../../operations/callbacks/delivery-schema.ts";
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
  webhookChangeSchema,
  webhookRequestSchema,
  webhookSchema,
  webhookSecretSchema,
} from "../../../operations/callbacks/target-schema.ts";
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
  keyRoute("createWebhook", `POST ${webhooks.path}`, {
    summary: "Create a webhook, by which the application is called about messages of a server.",
    body: webhookRequestSchema,
    required: ["url"],
    check: ({ secret, state: _state, ...change }, wrong, { context }) => {
      const url = wrong.has("url") ? undefined : change.url;
      checkWebhook(context, { ...selectsAll, url }, { change, secret });
    },
    audit: (call, response) => auditedAct("webhook.create", { target: responseText(response, "id"), server: call.id }),
    returns: ["The webhook with its secret, which is shown once.", webhookSchema],
    problems: ["limit_reached"],
    run: async ({ context, principal, id }, request) => createWebhook(context, principal, { server: id, request }),
  }),
  getRoute(webhooks),
  keyRoute("updateWebhook", `PUT ${webhooks.onePath}`, {
    summary: "Change a webhook: the members that are given.",
    body: webhookChangeSchema,
    audit: (call, _response, body) =>
      auditedAct("webhook.update", {
        target: pathOf(webhooks, call).target,
        server: call.id,
        details: { fields: Object.keys(body) },
      }),
    returns: ["The webhook as it is now.", webhookSchema],
    run: async (call, change) => updateWebhook(call.context, call.principal, { ...pathOf(webhooks, call), change }),
  }),
  deleteRoute(webhooks),
  secretRoute(webhooks, {
    summary: "Replace the secret of a webhook; the old one signs too for 24 hours.",
    body: webhookSecretSchema,
    rotate: rotateWebhookSecret,
  }),
  keyRoute("pingWebhook", `POST ${webhooks.onePath}/ping`, {
    summary: "Send the event `ping` to a webhook.",
    permission: "send",
    returns: ["The delivery.", callbackDeliverySchema, { status: 201 }],
    problems: ["limit_reached"],
    run: async (call) => pingWebhook(call.context, call.principal, pathOf(webhooks, call)),
  }),
  keyRoute("getCallbackFormats", "GET /api/callback-formats", {
    summary: "Retrieve the providers with event webhooks and the formats of inbound mail, with their settings.",
    permission: "any",
    returns: ["The formats.", callbackFormatsSchema],
    run: async () => listCallbackFormats(),
  }),
  listRoute(eventWebhooks),
  getRoute(eventWebhooks),
  keyRoute("putEventWebhook", `PUT ${eventWebhooks.onePath}`, {
    summary: "Create or change the event webhook, to which the events of a provider are delivered.",
    body: eventWebhookRequestSchema,
    audit: (call, response, body) =>
      auditedAct("event_webhook.put", {
        target: responseText(response, "id"),
        server: call.id,
        details: { fields: Object.keys(body) },
      }),
    returns: ["The event webhook; with its secret, which is shown once, when it was made.", eventWebhookSchema],
    problems: ["conflict", "limit_reached"],
    run: async (call, request) =>
      putEventWebhook(call.context, call.principal, { ...pathOf(eventWebhooks, call), request }),
  }),
  deleteRoute(eventWebhooks),
  secretRoute(eventWebhooks, {
    summary: "Replace the secrets and keys of an event webhook.",
    body: targetSecretSchema,
    rotate: rotateSecrets,
  }),
  listRoute(inboundRoutes),
  keyRoute("createInboundRoute", `POST ${inboundRoutes.path}`, {
    summary: "Create a route, by which mail to an address is handed to the application.",
    body: inboundRouteRequestSchema,
    required: ["pattern", "shape", "url"],
    audit: (call, response) =>
      auditedAct("inbound_route.create", { target: responseText(response, "id"), server: call.id }),
    returns: ["The route with its secret, which is shown once.", inboundRouteSchema],
    problems: ["limit_reached"],
    run: async ({ context, principal, id }, request) => createInboundRoute(context, principal, { server: id, request }),
  }),
  getRoute(inboundRoutes),
  keyRoute("updateInboundRoute", `PUT ${inboundRoutes.onePath}`, {
    summary: "Change an inbound route: the members that are given.",
    body: inboundRouteChangeSchema,
    audit: (call, _response, body) =>
      auditedAct("inbound_route.update", {
        target: pathOf(inboundRoutes, call).target,
        server: call.id,
        details: { fields: Object.keys(body) },
      }),
    returns: ["The inbound route as it is now.", inboundRouteSchema],
    problems: ["conflict"],
    run: async (call, change) =>
      updateInboundRoute(call.context, call.principal, { ...pathOf(inboundRoutes, call), change }),
  }),
  deleteRoute(inboundRoutes),
  secretRoute(inboundRoutes, {
    summary: "Replace the secrets and keys of an inbound route.",
    body: targetSecretSchema,
    rotate: rotateSecrets,
  }),
];

const shared = {
  permission: "send",
  returns: ["The deliveries.", madeDeliveriesSchema, { status: 201 }],
  problems: ["limit_reached"],
} as const;

/** Routes that make callbacks about one message. */
const messageCallbackRoutes: readonly KeyRoute[] = [
  keyRoute("emitEvents", "POST /api/messages/:id/events", {
    ...shared,
    summary: "Report events about a mail to the application, as the provider would.",
    body: eventRequestSchema,
    run: async ({ context, principal, id }, { at, ...request }) => {
      const instant = at === undefined ? {} : { at: decodeInstant("at", at) };
      const made = await emitEvents(context, principal, { id, request: { ...request, ...instant } });
      return { deliveries: made };
    },
  }),
  keyRoute("handInbound", "POST /api/messages/:id/inbound", {
    ...shared,
    summary: "Hand a mail to the application, as a provider of inbound mail would.",
    body: handInboundSchema,
    run: async ({ context, principal, id }, request) => ({
      deliveries: await handInbound(context, principal, { id, request }),
    }),
  }),
];

/** Routes of webhooks, event webhooks, inbound routes and deliveries. */
export const callbackRoutes: readonly KeyRoute[] = [...targetRoutes, ...deliveryRoutes, ...messageCallbackRoutes];
