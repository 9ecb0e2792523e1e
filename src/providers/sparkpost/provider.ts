import type { IncomingHttpHeaders } from "node:http";
import { uuidOfDecimal } from "../formats/uuid.ts";
import { endpoints } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { sparkPostErrors } from "./errors.ts";

const api = "the SparkPost-compatible API";
const base = "/api/v1";
const mail = { body: "mail", success: 200 } as const;
const sent = [200, "The id of the transmission."] as const;

const transmissions = endpoints({ base, load: async () => import("./transmissions.ts") }, [
  ["POST /transmissions", "sendTransmission", `Send a transmission through ${api}.`, { ...mail, success: sent }],
  ["GET /transmissions", "listTransmissions", `List the scheduled transmissions of ${api}.`, 200],
  ["GET /transmissions/:id", "getTransmission", `Get a scheduled transmission of ${api}.`, 200],
  ["DELETE /transmissions/:id", "cancelTransmission", `Cancel a scheduled transmission of ${api}.`, 204],
  ["DELETE /transmissions", "cancelCampaign", `Cancel the scheduled transmissions of a campaign of ${api}.`, 204],
]);

const templates = endpoints({ base, load: async () => import("./templates.ts") }, [
  ["POST /templates", "createTemplate", `Create a template of ${api}.`, mail],
  ["GET /templates", "listTemplates", `List the templates of ${api}.`, 200],
  ["GET /templates/:id", "getTemplate", `Get a template of ${api}.`, 200],
  ["PUT /templates/:id", "updateTemplate", `Change a template of ${api}.`, mail],
  ["DELETE /templates/:id", "deleteTemplate", `Remove a template of ${api}.`, 200],
  ["POST /templates/:id/preview", "previewTemplate", `Render a template of ${api}.`, { ...mail, need: "read" }],
]);

const recipients = endpoints({ base, load: async () => import("./recipients.ts") }, [
  ["GET /suppression-list", "listSuppressions", `List the suppressed addresses of ${api}.`, 200],
  ["PUT /suppression-list", "putSuppressions", `Suppress several addresses through ${api}.`, mail],
  ["GET /suppression-list/:email", "getSuppression", `Get a suppressed address of ${api}.`, 200],
  ["PUT /suppression-list/:email", "putSuppression", `Suppress an address through ${api}.`, 200],
  ["DELETE /suppression-list/:email", "deleteSuppression", `Remove a suppressed address through ${api}.`, 204],
  ["GET /recipient-validation/single/:email", "validateRecipient", `Validate an address through ${api}.`, 200],
]);

const webhooksAt = (
  kind: "eventWebhooks" | "relayWebhooks",
  { path, noun, removed }: { readonly path: string; readonly noun: string; readonly removed: number },
) =>
  endpoints({ load: async () => (await import("./webhooks.ts"))[kind], success: 200, base: `${base}${path}` }, [
    ["POST ", "add", `Register a ${noun} through ${api}.`],
    ["GET ", "list", `List the ${noun}s of ${api}.`],
    ["GET /:id", "get", `Get a ${noun} of ${api}.`],
    ["PUT /:id", "update", `Change a ${noun} of ${api}.`],
    ["DELETE /:id", "remove", `Remove a ${noun} of ${api}.`, removed],
    ["POST /:id/validate", "validate", `Send a test to the target of a ${noun} of ${api}.`],
    ["GET /:id/batch-status", "listBatches", `List failed batches of a ${noun} of ${api}.`],
  ]);
const webhooks = webhooksAt("eventWebhooks", { path: "/webhooks", noun: "webhook", removed: 204 });
const relays = webhooksAt("relayWebhooks", { path: "/relay-webhooks", noun: "relay webhook", removed: 200 });

/** Returns the API key: the whole Authorization field, or the user of Basic authentication. */
function readKey({ authorization = "" }: IncomingHttpHeaders): string | null {
  const [, scheme, credentials = ""] = /^(basic|bearer) +(\S+)$/i.exec(authorization.trim()) ?? [];
  if (scheme === undefined) return authorization.trim() || null;
  if (scheme.toLowerCase() === "bearer") return credentials;
  return Buffer.from(credentials, "base64").toString("utf8").split(":")[0] || null;
}

/** SparkPost. */
export const sparkpost: Provider = {
  name: "sparkpost",
  label: "SparkPost",
  apiOrigins: /^https:\/\/api(?:\.eu)?\.sparkpost\.com$/,
  hosts: ["api.sparkpost.com", "api.eu.sparkpost.com"],
  endpoints: [...transmissions, ...templates, ...recipients, ...webhooks, ...relays],
  readKey,
  ...sparkPostErrors,
  sms: null,
  email: {
    requestBytesMax: 35_000_000,
    recipientCountMax: 2000,
    features: [
      ...(["batch", "attachments", "inline images", "custom headers", "tags", "metadata"] as const),
      ...(["stored templates", "schedule", "cancel"] as const),
    ],
    uuidOf: uuidOfDecimal,
  },
  loadEvents: async () => (await import("./event-webhook.ts")).sparkPostEvents,
};
