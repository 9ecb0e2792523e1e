import { getScan } from "../../../operations/scanner/quarantined-scans.ts";
import { getScanner, putScanner, removeScanner } from "../../../operations/scanner/scanner-settings.ts";
import { auditedAct } from "../../audit.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { scannerSchema, scannerSettingsSchema } from "../../wire/scanner-schema.ts";
import { scanSchema } from "../../../core/scanner.ts";

const path = "/api/servers/:id/scanner";

/** Routes of link scanners and their scans. */
export const scannerRoutes: readonly KeyRoute[] = [
  {
    method: "GET",
    path,
    operationId: "getScanner",
    summary: "Retrieve the link scanner of a server.",
    access: "key",
    successes: [{ status: 200, description: "The scanner.", schema: scannerSchema }],
    problems: ["not_found"],
    respond: async (call) => jsonResponse(await getScanner(call.context, call.principal, call.id)),
  },
  {
    method: "PUT",
    path,
    operationId: "putScanner",
    audit: (call) => auditedAct("scanner.set", { server: call.id }),
    summary: "Set the link scanner of a server, which opens the links of mails that arrive from now on.",
    access: "key",
    body: { schema: scannerSettingsSchema, isStrict: true, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The scanner.", schema: scannerSchema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const request = { server: call.id, body: call.body };
      return jsonResponse(await putScanner(call.context, call.principal, request));
    },
  },
  {
    method: "DELETE",
    path,
    operationId: "deleteScanner",
    audit: (call) => auditedAct("scanner.remove", { server: call.id }),
    summary: "Remove the link scanner of a server, with the scans that wait.",
    access: "key",
    successes: [{ status: 204, description: "Removed." }],
    problems: ["not_found", "storage_full"],
    respond: async (call) => {
      await removeScanner(call.context, call.principal, call.id);
      return noContent;
    },
  },
  {
    method: "GET",
    path: "/api/messages/:id/scan",
    operationId: "getScan",
    summary: "Retrieve the scan of the links of a mail.",
    access: "key",
    successes: [{ status: 200, description: "The scan.", schema: scanSchema }],
    problems: ["not_found"],
    respond: async (call) => jsonResponse(await getScan(call.context, call.principal, call.id)),
  },
];
