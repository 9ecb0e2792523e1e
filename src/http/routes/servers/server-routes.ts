import { getServerBundleRoute } from "../bundles/bundle-routes.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { scannerRoutes } from "../scanner/scanner-routes.ts";
import {
  checkServerChange,
  checkServerRequest,
  createServer,
  deleteServer,
  getServer,
  getServerPassword,
  listServers,
  resetServerPassword,
  updateServer,
} from "../../../operations/servers/servers.ts";
import { listResponse } from "../../lists/page-response.ts";
import { listOf } from "../../../core/schema.ts";
import {
  newServerSchema,
  passwordSchema,
  serverChangeSchema,
  serverRequestSchema,
  serverSchema,
  toWireNewServer,
  toWireServer,
  type WirePassword,
  zoneRequestSchema,
  zoneSchema,
} from "../../wire/server-schema.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { auditedAct, responseText } from "../../audit.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { deleteDnsZone, getDnsZone, putDnsZone } from "../../../operations/servers/dns-zone.ts";
import { listHeld } from "../../../operations/inbound/list-held.ts";
import { pageParameters } from "../../lists/page-request.ts";
import { heldSchema } from "../../../operations/inbound/list-held.ts";
import { decodePage, nextPageUrl } from "../../wire/page-query.ts";

/** `GET /api/servers/:id/held`: messages that are accepted and not visible yet, the next one first. */
const listHeldRoute: KeyRoute = {
  method: "GET",
  path: "/api/servers/:id/held",
  operationId: "listHeld",
  summary: "List the messages of a server that are accepted and not visible yet, the next one first.",
  access: "key",
  query: pageParameters.filter(({ name }) => name === "page" || name === "itemsPerPage"),
  successes: [
    {
      status: 200,
      description: "A page of held messages.",
      schema: listOf(heldSchema),
      headers: { link: 'URL of the next page with `rel="next"` (RFC 8288), where there is one.' },
    },
  ],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const page = decodePage(call.query, { limits: call.context.limits, ignoresUnknownDirection: false });
    const { held, hasMore } = await listHeld(call.context, call.principal, { server: call.id, ...page });
    const response = listResponse(call, held);
    if (!hasMore) return response;
    const link = `<${nextPageUrl(call.path, call.query, page)}>; rel="next"`;
    return { ...response, headers: { ...response.headers, link } };
  },
};

const path = "/api/servers/:id/dns";

/** `GET /api/servers/:id/dns`: the zone that replaces DNS in checks of the server's mail. */
const getDnsZoneRoute: KeyRoute = {
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
const putDnsZoneRoute: KeyRoute = {
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
const deleteDnsZoneRoute: KeyRoute = {
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

/** `POST /api/servers/:id/password`: replaces the SMTP password of a server. */
const resetServerPasswordRoute: KeyRoute = {
  method: "POST",
  path: "/api/servers/:id/password",
  operationId: "resetServerPassword",
  audit: (call) => auditedAct("server.reset_password", { target: call.id, server: call.id }),
  summary: "Replace the SMTP password of a server by a random one.",
  access: "key",
  permission: "manage",
  successes: [{ status: 200, description: "The new password; the old one is invalid.", schema: passwordSchema }],
  problems: ["not_found", "storage_full"],
  respond: async (call) => {
    const password: WirePassword = { value: await resetServerPassword(call.context, call.principal, call.id) };
    return jsonResponse(password);
  },
};

/** `GET /api/servers/:id/password`: SMTP password of a server. */
const getServerPasswordRoute: KeyRoute = {
  method: "GET",
  path: "/api/servers/:id/password",
  operationId: "getServerPassword",
  summary: "Retrieve the SMTP password of a server.",
  access: "key",
  audit: (call) => auditedAct("server.read_password", { target: call.id, server: call.id }),
  permission: "manage",
  successes: [{ status: 200, description: "The password.", schema: passwordSchema }],
  problems: ["not_found", "conflict"],
  respond: async (call) => {
    const password: WirePassword = { value: await getServerPassword(call.context, call.principal, call.id) };
    return jsonResponse(password);
  },
};

/** `DELETE /api/servers/:id`: deletes a server, its messages and its keys permanently. */
const deleteServerRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/servers/:id",
  operationId: "deleteServer",
  summary: "Delete a server with its messages, attachments and keys.",
  access: "account",
  audit: (call) => auditedAct("server.delete", { target: call.id, server: call.id }),
  successes: [{ status: 204, description: "Deleted." }],
  problems: ["not_found", "storage_full"],
  respond: async (call) => {
    await deleteServer(call.context, call.principal, call.id);
    return noContent;
  },
};

/** `PUT /api/servers/:id`: changes the members that the body names. */
const updateServerRoute: KeyRoute = {
  method: "PUT",
  path: "/api/servers/:id",
  operationId: "updateServer",
  summary:
    "Change a server's name, users, retention, quota or the effect of deletions by POP3 and IMAP; absent members stay.",
  access: "key",
  audit: (call) =>
    auditedAct("server.update", {
      target: call.id,
      server: call.id,
      details: { fields: Object.keys(decodeBody(serverChangeSchema, call.body)) },
    }),
  body: { schema: serverChangeSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The server as it is now.", schema: serverSchema }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    const change = decodeBody(serverChangeSchema, call.body, checkServerChange);
    return jsonResponse(toWireServer(await updateServer(call.context, call.principal, { id: call.id, change })));
  },
};

/** `GET /api/servers/:id`: a server. */
const getServerRoute: KeyRoute = {
  method: "GET",
  path: "/api/servers/:id",
  operationId: "getServer",
  summary: "Retrieve a server.",
  access: "key",
  successes: [{ status: 200, description: "The server.", schema: serverSchema }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(toWireServer(await getServer(call.context, call.principal, call.id))),
};

/**
 * `POST /api/servers`: creates an empty server. Responds with 200, since the official libraries accept no other status.
 */
const createServerRoute: KeyRoute = {
  method: "POST",
  path: "/api/servers",
  operationId: "createServer",
  summary: "Create a server.",
  access: "account",
  audit: (_call, response) => {
    const server = responseText(response, "id");
    return auditedAct("server.create", { target: server, server });
  },
  body: { schema: serverRequestSchema, required: ["name"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The new server.", schema: newServerSchema }],
  problems: ["invalid_request", "limit_reached", "storage_full"],
  respond: async (call) => {
    const request = decodeBody(serverRequestSchema, call.body, checkServerRequest);
    return jsonResponse(toWireNewServer(await createServer(call.context, call.principal, request)));
  },
};

/** `GET /api/servers`: the servers that the key has access to, by name. */
const listServersRoute: KeyRoute = {
  method: "GET",
  path: "/api/servers",
  operationId: "listServers",
  summary: "List the servers that the key has access to, by name.",
  access: "key",
  successes: [{ status: 200, description: "The servers.", schema: listOf(serverSchema) }],
  problems: [],
  respond: async (call) => listResponse(call, (await listServers(call.context, call.principal)).map(toWireServer)),
};

/** Routes below `/api/servers`, and the scan of a message. */
export const serverRoutes: readonly KeyRoute[] = [
  listServersRoute,
  createServerRoute,
  getServerRoute,
  updateServerRoute,
  deleteServerRoute,
  getServerPasswordRoute,
  resetServerPasswordRoute,
  getDnsZoneRoute,
  putDnsZoneRoute,
  deleteDnsZoneRoute,
  getServerBundleRoute,
  listHeldRoute,
  ...scannerRoutes,
];
