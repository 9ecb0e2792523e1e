import { deleteDnsZone, getDnsZone, putDnsZone } from "../../../operations/dns-zone.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { zoneRequestSchema, zoneSchema } from "../../wire/zone-schema.ts";

const path = "/api/servers/:id/dns";

/** `GET /api/servers/:id/dns`: the zone that stands in for the name system. */
export const getDnsZoneRoute: KeyRoute = {
  method: "GET",
  path,
  operationId: "getDnsZone",
  summary: "Read the zone that stands in for the name system when mail of the server is checked.",
  access: "key",
  successes: [{ status: 200, description: "The zone as it was put.", schema: zoneSchema }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(await getDnsZone(call.context, call.principal, call.id)),
};

/** `PUT /api/servers/:id/dns`: from now on the server's mail is checked against this zone alone. */
export const putDnsZoneRoute: KeyRoute = {
  method: "PUT",
  path,
  operationId: "putDnsZone",
  audit: (call) => auditedAct("dns_zone.put", { target: call.id, server: call.id }),
  summary: "Put a zone in the place of the name system for checks of the server's mail.",
  access: "key",
  body: { schema: zoneRequestSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The zone and how many records it has.", schema: zoneSchema }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    const { zone } = decodeBody(zoneRequestSchema, call.body);
    return jsonResponse(await putDnsZone(call.context, call.principal, { id: call.id, zone }));
  },
};

/** `DELETE /api/servers/:id/dns`: the name system speaks for itself again. */
export const deleteDnsZoneRoute: KeyRoute = {
  method: "DELETE",
  path,
  operationId: "deleteDnsZone",
  audit: (call) => auditedAct("dns_zone.delete", { target: call.id, server: call.id }),
  summary: "Let the name system speak for itself again.",
  access: "key",
  successes: [{ status: 204, description: "The zone is gone." }],
  problems: ["not_found", "storage_full"],
  respond: async (call) => {
    await deleteDnsZone(call.context, call.principal, call.id);
    return noContent;
  },
};
