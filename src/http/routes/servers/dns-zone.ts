import { deleteDnsZone, getDnsZone, putDnsZone } from "../../../operations/servers/dns-zone.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { zoneRequestSchema, zoneSchema } from "../../wire/zone-schema.ts";

const path = "/api/servers/:id/dns";

/** `GET /api/servers/:id/dns`: the zone that replaces DNS in checks of the server's mail. */
export const getDnsZoneRoute: KeyRoute = {
  method: "GET",
  path,
  operationId: "getDnsZone",
  summary: "Retrieve the zone that replaces DNS in checks of the server's mail.",
  access: "key",
  successes: [{ status: 200, description: "The zone as it was set.", schema: zoneSchema }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(await getDnsZone(call.context, call.principal, call.id)),
};

/** `PUT /api/servers/:id/dns`: sets the zone that replaces DNS in checks of the server's mail. */
export const putDnsZoneRoute: KeyRoute = {
  method: "PUT",
  path,
  operationId: "putDnsZone",
  audit: (call) => auditedAct("dns_zone.put", { target: call.id, server: call.id }),
  summary: "Set a zone that replaces DNS in checks of the server's mail.",
  access: "key",
  body: { schema: zoneRequestSchema, required: ["zone"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The zone and its number of records.", schema: zoneSchema }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    const { zone } = decodeBody(zoneRequestSchema, call.body);
    return jsonResponse(await putDnsZone(call.context, call.principal, { id: call.id, zone }));
  },
};

/** `DELETE /api/servers/:id/dns`: deletes the zone, so that checks use DNS again. */
export const deleteDnsZoneRoute: KeyRoute = {
  method: "DELETE",
  path,
  operationId: "deleteDnsZone",
  audit: (call) => auditedAct("dns_zone.delete", { target: call.id, server: call.id }),
  summary: "Delete the zone, so that checks use DNS again.",
  access: "key",
  successes: [{ status: 204, description: "Deleted." }],
  problems: ["not_found", "storage_full"],
  respond: async (call) => {
    await deleteDnsZone(call.context, call.principal, call.id);
    return noContent;
  },
};
