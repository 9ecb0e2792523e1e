import {
  createInboundRoute,
  deleteInboundRoute,
  getInboundRoute,
  listInboundRoutes,
  rotateInboundSecret,
  updateInboundRoute,
} from "../../../operations/callbacks/inbound-routes.ts";
import { auditedAct, responseText } from "../../audit.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { listResponse } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute } from "../../route.ts";
import {
  inboundRouteChangeSchema,
  inboundRouteRequestSchema,
  inboundRouteSchema,
  targetSecretSchema,
  toWireTarget,
} from "../../wire/callback-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { listOf } from "../../../core/schema.ts";

const path = "/api/servers/:id/inbound-routes";
const onePath = `${path}/:route`;

function pathOf({ id, params }: KeyCall): { readonly server: string; readonly target: string } {
  return { server: id, target: params["route"] ?? "" };
}

/** Routes below `/api/servers/:id/inbound-routes`. */
export const inboundRouteRoutes: readonly KeyRoute[] = [
  {
    method: "GET",
    path,
    operationId: "listInboundRoutes",
    summary: "List the inbound routes of a server.",
    access: "key",
    successes: [{ status: 200, description: "The inbound routes, oldest first.", schema: listOf(inboundRouteSchema) }],
    problems: ["not_found"],
    respond: async (call) => {
      const routes = await listInboundRoutes(call.context, call.principal, call.id);
      return listResponse(call, routes.map(toWireTarget));
    },
  },
  {
    method: "POST",
    path,
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
  {
    method: "GET",
    path: onePath,
    operationId: "getInboundRoute",
    summary: "Retrieve an inbound route.",
    access: "key",
    successes: [{ status: 200, description: "The inbound route.", schema: inboundRouteSchema }],
    problems: ["not_found"],
    respond: async (call) =>
      jsonResponse(toWireTarget(await getInboundRoute(call.context, call.principal, pathOf(call)))),
  },
  {
    method: "PUT",
    path: onePath,
    operationId: "updateInboundRoute",
    audit: (call) =>
      auditedAct("inbound_route.update", {
        target: pathOf(call).target,
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
      const route = await updateInboundRoute(call.context, call.principal, { ...pathOf(call), change });
      return jsonResponse(toWireTarget(route));
    },
  },
  {
    method: "DELETE",
    path: onePath,
    operationId: "deleteInboundRoute",
    audit: (call) => auditedAct("inbound_route.delete", { target: pathOf(call).target, server: call.id }),
    summary: "Delete an inbound route with its deliveries.",
    access: "key",
    successes: [{ status: 204, description: "Deleted." }],
    problems: ["not_found", "storage_full"],
    respond: async (call) => {
      await deleteInboundRoute(call.context, call.principal, pathOf(call));
      return noContent;
    },
  },
  {
    method: "POST",
    path: `${onePath}/secret`,
    operationId: "rotateInboundRouteSecret",
    audit: (call) => auditedAct("inbound_route.rotate", { target: pathOf(call).target, server: call.id }),
    summary: "Replace the secrets and keys of an inbound route.",
    access: "key",
    body: { schema: targetSecretSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The inbound route with its new secret.", schema: inboundRouteSchema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const { settings } = decodeBody(targetSecretSchema, call.body);
      const route = await rotateInboundSecret(call.context, call.principal, { ...pathOf(call), settings });
      return jsonResponse(toWireTarget(route));
    },
  },
];
