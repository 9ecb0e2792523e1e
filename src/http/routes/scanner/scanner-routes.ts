import { keyRoute } from "../rows.ts";
import { getScan } from "../../../operations/scanner/quarantined-scans.ts";
import { getScanner, putScanner, removeScanner } from "../../../operations/scanner/scanner-settings.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";
import { scannerSchema, scannerSettingsSchema, scanSchema } from "../../../core/scanner.ts";

const path = "/api/servers/:id/scanner";

/** Routes of link scanners and their scans. */
export const scannerRoutes: readonly KeyRoute[] = [
  keyRoute("getScanner", `GET ${path}`, {
    summary: "Retrieve the link scanner of a server.",
    returns: ["The scanner.", scannerSchema],
    run: async ({ context, principal, id }) => getScanner(context, principal, id),
  }),
  keyRoute("putScanner", `PUT ${path}`, {
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
  keyRoute("deleteScanner", `DELETE ${path}`, {
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
