import { keyRoute } from "../rows.ts";
import {
  eraseDelivery,
  getDelivery,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
} from "../../../operations/callbacks/deliveries.ts";
import { callbackStatuses } from "../../../operations/callbacks/delivery-schema.ts";
import { auditedAct, replayedCount } from "../../audit.ts";
import { numberedPageParameters } from "../../lists/page-request.ts";
import { linkedListResponse, nextPageSuccess } from "../../lists/page-response.ts";
import type { KeyCall, KeyRoute, QueryParameter } from "../../route.ts";
import {
  callbackDeliverySchema,
  callbackDetailSchema,
  replayedSchema,
  replayRequestSchema,
} from "../../../operations/callbacks/delivery-schema.ts";
import { decodeDeliveryQuery, decodeReplay, nextDeliveriesUrl } from "../../wire/query.ts";
import { build, listOf } from "../../../core/schema.ts";
import { instantText } from "../../../core/text-schemas.ts";

const path = "/api/servers/:id/deliveries";
const onePath = `${path}/:delivery`;

function pathOf({ id, params }: KeyCall): { readonly server: string; readonly delivery: string } {
  return { server: id, delivery: params["delivery"] ?? "" };
}

const query: readonly QueryParameter[] = [
  {
    name: "target",
    description: "Only those of this webhook, event webhook or inbound route.",
    schema: build.string({ format: "uuid" }),
  },
  { name: "message", description: "Only those about this message.", schema: build.string({ format: "uuid" }) },
  { name: "status", description: "Only those with this status.", schema: build.enum(callbackStatuses) },
  { name: "type", description: "Only those of this type.", schema: build.string() },
  { name: "since", description: "Only those created then or later.", schema: instantText() },
  { name: "before", description: "Only those created before.", schema: instantText() },
  ...numberedPageParameters,
];

/** Routes below `/api/servers/:id/deliveries`. */
export const deliveryRoutes: readonly KeyRoute[] = [
  keyRoute("listDeliveries", `GET ${path}`, {
    summary: "List the deliveries of a server's callbacks, newest first.",
    query,
    returns: ["A page of deliveries.", listOf(callbackDeliverySchema), nextPageSuccess],
    respond: async (call) => {
      const { page, itemsPerPage, filter } = decodeDeliveryQuery(call.query, call.context.limits);
      const request = { server: call.id, query: filter, page, itemsPerPage };
      const { deliveries, hasMore } = await listDeliveries(call.context, call.principal, request);
      const next = hasMore && nextDeliveriesUrl(call.path, call.query, page);
      return linkedListResponse(call, deliveries, next);
    },
  }),
  keyRoute("replayDeliveries", `POST ${path}/replay`, {
    summary: "Deliver again what matches; by default what has failed.",
    body: replayRequestSchema,
    audit: (call, response) =>
      auditedAct("delivery.replay", { server: call.id, details: { count: replayedCount(response) } }),
    returns: ["The number of deliveries, at most 10,000.", replayedSchema],
    run: async ({ context, principal, id }, body) => ({
      replayed: await replayDeliveries(context, principal, { server: id, query: decodeReplay(body) }),
    }),
  }),
  keyRoute("getDelivery", `GET ${onePath}`, {
    summary: "Retrieve a delivery with its request and attempts.",
    returns: ["The delivery.", callbackDetailSchema],
    run: async (call) => getDelivery(call.context, call.principal, pathOf(call)),
  }),
  keyRoute("replayDelivery", `POST ${onePath}/replay`, {
    summary: "Deliver again.",
    audit: (call) =>
      auditedAct("delivery.replay", { target: pathOf(call).delivery, server: call.id, details: { count: 1 } }),
    returns: ["The delivery, pending again.", callbackDeliverySchema],
    problems: ["conflict"],
    run: async (call) => replayDelivery(call.context, call.principal, pathOf(call)),
  }),
  keyRoute("eraseDelivery", `POST ${onePath}/erase`, {
    summary: "Erase the content of a delivery, and cancel it when it is pending.",
    audit: (call) => auditedAct("delivery.erase", { target: pathOf(call).delivery, server: call.id }),
    returns: ["Erased."],
    run: async (call) => eraseDelivery(call.context, call.principal, pathOf(call)),
  }),
];
