import type { KeyRoute } from "../../route.ts";
import { deliveryRoutes } from "./delivery-routes.ts";
import { eventWebhookRoutes } from "./event-webhook-routes.ts";
import { inboundRouteRoutes } from "./inbound-route-routes.ts";
import { messageCallbackRoutes } from "./message-callback-routes.ts";
import { webhookRoutes } from "./webhook-routes.ts";

/** Routes of webhooks, event webhooks, inbound routes and deliveries. */
export const callbackRoutes: readonly KeyRoute[] = [
  ...webhookRoutes,
  ...eventWebhookRoutes,
  ...inboundRouteRoutes,
  ...deliveryRoutes,
  ...messageCallbackRoutes,
];
