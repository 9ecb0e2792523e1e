import { accountRoute, keyRoute } from "../rows.ts";
import { getServerBundleRoute } from "../bundles/bundle-routes.ts";
import type { KeyRoute } from "../../route.ts";
import {
  checkServerChange,
  checkServerRequest,
  createServer,
  deleteServer,
  getServerPassword,
  listServers,
  resetServerPassword,
  updateServer,
} from "../../../operations/servers/servers.ts";
import { openServer } from "../../../operations/services/security/access.ts";
import { linkedListResponse, nextPageSuccess } from "../../lists/page-response.ts";
import { listOf } from "../../../core/schema.ts";
import {
  newServerSchema,
  passwordSchema,
  serverChangeSchema,
  serverRequestSchema,
  serverSchema,
  toWireNewServer,
  toWireServer,
} from "../../wire/server-schema.ts";
import { auditedAct, responseText } from "../../audit.ts";
import {
  deleteDnsZone,
  getDnsZone,
  putDnsZone,
  zoneRequestSchema,
  zoneSchema,
} from "../../../operations/servers/dns-zone.ts";
import { heldSchema, listHeld } from "../../../operations/inbound/held-messages.ts";
import { numberedPageParameters } from "../../lists/page-request.ts";
import { decodePage, nextPageUrl } from "../../wire/page-query.ts";
import { getScan } from "../../../operations/scanner/scan-queue.ts";
import { getScanner, putScanner, removeScanner } from "../../../operations/scanner/scanner-settings.ts";
import { scannerSchema, scannerSettingsSchema, scanSchema } from "../../../core/scanner.ts";

const scannerPath = "/api/servers/:id/scanner";

/** Routes of link scanners and their scans. */
const scannerRoutes: readonly KeyRoute[] = [
  keyRoute("getScanner", `GET ${scannerPath}`, {
    summary: "Retrieve the link scanner of a server.",
    returns: ["The scanner.", scannerSchema],
    run: async ({ context, principal, id }) => getScanner(context, principal, id),
  }),
  keyRoute("putScanner", `PUT ${scannerPath}`, {
    summary: "Set the link scanner of a server, which opens the links of mails that arrive from now on.",
    body: scannerSettingsSchema,
    isStrict: true,
    audit: (call) => auditedAct("scanner.set", { server: call.id }),
    returns: ["The scanner.", scannerSchema],
    run: async (call) => {
      const request = { server: call.id, body: call.body };
      return putScanner(call.context, call.principal, request);
    },
  }),
  keyRoute("deleteScanner", `DELETE ${scannerPath}`, {
    summary: "Remove the link scanner of a server, with the scans that wait.",
    audit: (call) => auditedAct("scanner.remove", { server: call.id }),
    returns: ["Removed."],
    run: async ({ context, principal, id }) => removeScanner(context, principal, id),
  }),
  keyRoute("getScan", "GET /api/messages/:id/scan", {
    summary: "Retrieve the scan of the links of a mail.",
    returns: ["The scan.", scanSchema],
    run: async ({ context, principal, id }) => getScan(context, principal, id),
  }),
];

const zonePath = "/api/servers/:id/dns";

/** Routes below `/api/servers`, and the scan of a message. */
export const serverRoutes: readonly KeyRoute[] = [
  keyRoute("listServers", "GET /api/servers", {
    summary: "List the servers that the key has access to, by name.",
    returns: ["The servers.", listOf(serverSchema)],
    run: async ({ context, principal }) => (await listServers(context, principal)).map(toWireServer),
  }),
  accountRoute("createServer", "POST /api/servers", {
    summary: "Create a server.",
    body: serverRequestSchema,
    required: ["name"],
    check: checkServerRequest,
    audit: (_call, response) => {
      const server = responseText(response, "id");
      return auditedAct("server.create", { target: server, server });
    },
    returns: ["The new server.", newServerSchema],
    problems: ["limit_reached"],
    run: async ({ context, principal }, request) => toWireNewServer(await createServer(context, principal, request)),
  }),
  keyRoute("getServer", "GET /api/servers/:id", {
    summary: "Retrieve a server.",
    returns: ["The server.", serverSchema],
    run: async ({ context, principal, id }) => toWireServer(await openServer(context, principal, id)),
  }),
  keyRoute("updateServer", "PUT /api/servers/:id", {
    summary:
      "Change a server's name, users, team, retention, quota, protection or the effect of deletions by POP3 and IMAP; absent members stay.",
    permission: "settings",
    body: serverChangeSchema,
    check: checkServerChange,
    audit: (call, _response, body) =>
      auditedAct("server.update", {
        target: call.id,
        server: call.id,
        details: { fields: Object.keys(body) },
      }),
    returns: ["The server as it is now.", serverSchema],
    run: async ({ context, principal, id }, change) =>
      toWireServer(await updateServer(context, principal, { id, change })),
  }),
  accountRoute("deleteServer", "DELETE /api/servers/:id", {
    summary: "Delete a server with its messages, attachments and keys.",
    audit: (call) => auditedAct("server.delete", { target: call.id, server: call.id }),
    returns: ["Deleted."],
    run: async ({ context, principal, id }) => deleteServer(context, principal, id),
  }),
  keyRoute("getServerPassword", "GET /api/servers/:id/password", {
    summary: "Retrieve the SMTP password of a server.",
    permission: "manage",
    audit: (call) => auditedAct("server.read_password", { target: call.id, server: call.id }),
    returns: ["The password.", passwordSchema],
    problems: ["conflict"],
    run: async ({ context, principal, id }) => ({ value: await getServerPassword(context, principal, id) }),
  }),
  keyRoute("resetServerPassword", "POST /api/servers/:id/password", {
    summary: "Replace the SMTP password of a server by a random one.",
    permission: "settings",
    audit: (call) => auditedAct("server.reset_password", { target: call.id, server: call.id }),
    returns: ["The new password; the old one is invalid.", passwordSchema],
    run: async ({ context, principal, id }) => ({ value: await resetServerPassword(context, principal, id) }),
  }),
  keyRoute("getDnsZone", `GET ${zonePath}`, {
    summary: "Retrieve the zone that replaces DNS in checks of the server's mail.",
    returns: ["The zone as it was set.", zoneSchema],
    run: async ({ context, principal, id }) => getDnsZone(context, principal, id),
  }),
  keyRoute("putDnsZone", `PUT ${zonePath}`, {
    summary: "Set a zone that replaces DNS in checks of the server's mail.",
    body: zoneRequestSchema,
    required: ["zone"],
    audit: (call) => auditedAct("dns_zone.put", { target: call.id, server: call.id }),
    returns: ["The zone and its number of records.", zoneSchema],
    run: async ({ context, principal, id }, { zone }) => putDnsZone(context, principal, { id, zone }),
  }),
  keyRoute("deleteDnsZone", `DELETE ${zonePath}`, {
    summary: "Delete the zone, so that checks use DNS again.",
    audit: (call) => auditedAct("dns_zone.delete", { target: call.id, server: call.id }),
    returns: ["Deleted."],
    run: async ({ context, principal, id }) => deleteDnsZone(context, principal, id),
  }),
  getServerBundleRoute,
  keyRoute("listHeld", "GET /api/servers/:id/held", {
    summary: "List the messages of a server that are accepted and not visible yet, the next one first.",
    query: numberedPageParameters,
    returns: ["A page of held messages.", listOf(heldSchema), nextPageSuccess],
    respond: async (call) => {
      const page = decodePage(call.query, { limits: call.context.limits, ignoresUnknownDirection: false });
      const { held, hasMore } = await listHeld(call.context, call.principal, { server: call.id, ...page });
      return linkedListResponse(call, held, hasMore && nextPageUrl(call.path, call.query, page));
    },
  }),
  ...scannerRoutes,
];
