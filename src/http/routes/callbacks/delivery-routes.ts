import {
  eraseDelivery,
  getDelivery,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
} from "../../../operations/callbacks/deliveries.ts";
import { callbackStatuses } from "../../../operations/callbacks/shown-target.ts";
import { auditedAct, replayedCount } from "../../audit.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { pageParameters } from "../../lists/page-request.ts";
import { listResponse } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute, type QueryParameter } from "../../route.ts";
import {
  callbackDeliverySchema,
  callbackDetailSchema,
  replayedSchema,
  replayRequestSchema,
  toWireDelivery,
  toWireDetail,
} from "../../wire/delivery-schema.ts";
import { decodeDeliveryQuery, decodeReplay, nextDeliveriesUrl } from "../../wire/query.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { build, listOf } from "../../../core/schema.ts";
import { instantText } from "../../wire/text-schemas.ts";

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
  ...pageParameters.filter(({ name }) => name === "page" || name === "itemsPerPage"),
];

/** Routes below `/api/servers/:id/deliveries`. */
export const deliveryRoutes: readonly KeyRoute[] = [
  {
    method: "GET",
    path,
    operationId: "listDeliveries",
    summary: "List the deliveries of a server's callbacks, newest first.",
    access: "key",
    query,
    successes: [
      {
        status: 200,
        description: "A page of deliveries.",
        schema: listOf(callbackDeliverySchema),
        headers: { link: 'URL of the next page with `rel="next"` (RFC 8288), where there is one.' },
      },
    ],
    problems: ["invalid_request", "not_found"],
    respond: async (call) => {
      const { page, itemsPerPage, filter } = decodeDeliveryQuery(call.query, call.context.limits);
      const request = { server: call.id, query: filter, page, itemsPerPage };
      const { deliveries, hasMore } = await listDeliveries(call.context, call.principal, request);
      const response = listResponse(call, deliveries.map(toWireDelivery));
      if (!hasMore) return response;
      const link = `<${nextDeliveriesUrl(call.path, call.query, page)}>; rel="next"`;
      return { ...response, headers: { ...response.headers, link } };
    },
  },
  {
    method: "POST",
    path: `${path}/replay`,
    operationId: "replayDeliveries",
    audit: (call, response) =>
      auditedAct("delivery.replay", { server: call.id, details: { count: replayedCount(response) } }),
    summary: "Deliver again what matches; by default what has failed.",
    access: "key",
    body: { schema: replayRequestSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The number of deliveries, at most 10,000.", schema: replayedSchema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const filter = decodeReplay(decodeBody(replayRequestSchema, call.body));
      const request = { server: call.id, query: filter };
      return jsonResponse({ replayed: await replayDeliveries(call.context, call.principal, request) });
    },
  },
  {
    method: "GET",
    path: onePath,
    operationId: "getDelivery",
    summary: "Retrieve a delivery with its request and attempts.",
    access: "key",
    successes: [{ status: 200, description: "The delivery.", schema: callbackDetailSchema }],
    problems: ["not_found"],
    respond: async (call) => jsonResponse(toWireDetail(await getDelivery(call.context, call.principal, pathOf(call)))),
  },
  {
    method: "POST",
    path: `${onePath}/replay`,
    operationId: "replayDelivery",
    audit: (call) =>
      auditedAct("delivery.replay", { target: pathOf(call).delivery, server: call.id, details: { count: 1 } }),
    summary: "Deliver again.",
    access: "key",
    successes: [{ status: 200, description: "The delivery, pending again.", schema: callbackDeliverySchema }],
    problems: ["not_found", "conflict", "storage_full"],
    respond: async (call) =>
      jsonResponse(toWireDelivery(await replayDelivery(call.context, call.principal, pathOf(call)))),
  },
  {
    method: "POST",
    path: `${onePath}/erase`,
    operationId: "eraseDelivery",
    audit: (call) => auditedAct("delivery.erase", { target: pathOf(call).delivery, server: call.id }),
    summary: "Erase the content of a delivery, and cancel it when it is pending.",
    access: "key",
    successes: [{ status: 204, description: "Erased." }],
    problems: ["not_found", "storage_full"],
    respond: async (call) => {
      await eraseDelivery(call.context, call.principal, pathOf(call));
      return noContent;
    },
  },
];
