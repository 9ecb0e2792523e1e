import { uuidOfId } from "../formats/uuid.ts";
import { endpoints, openEndpoints } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { acsErrors } from "./errors.ts";
import { readCaller, recipientCountMax } from "./request.ts";

/** The library for Node accepts no path in an endpoint. */
const shared = { isAtRoot: true } as const;
const accepted = [202, "Accepted."] as const;
const sent = { body: "mail", isSend: true, success: accepted } as const;
const api = "the API of Azure Communication Services";
const emails = endpoints({ load: async () => import("./emails.ts"), ...shared }, [
  ["POST /emails:send", "sendEmail", `Send a mail through ${api}.`, sent],
  ["GET /emails/operations/:id", "getOperation", `Fetch the status of a mail through ${api}.`, 200],
]);

const sms = endpoints({ load: async () => import("./sms.ts"), ...shared }, [
  ["POST /sms", "sendSms", `Send an SMS through ${api}.`, accepted],
]);

const validate = "/eventsubscriptions/:name/validate";
const handshake = [200, "The webhook is validated."] as const;
const validations = openEndpoints({ load: async () => import("./event-grid.ts"), access: "own", success: handshake }, [
  [`GET ${validate}`, "validateWebhook", "Validate an event webhook by the URL that Event Grid sent it."],
  [`POST ${validate}`, "validateWebhook", "Validate an event webhook by the URL that Event Grid sent it."],
]);

/** Geographies in the host names of resources; older ones have none. */
const geographies = (
  "africa asiapacific australia brazil canada europe france germany india japan korea norway switzerland uae uk " +
  "unitedstates"
).split(" ");

/** Azure Communication Services: mail and SMS. */
export const acs: Provider = {
  name: "acs",
  label: "Azure Communication Services",
  apiOrigins: /^https:\/\/[a-z0-9-]{1,63}(?:\.[a-z]{2,20})?\.communication\.azure\.com$/,
  hosts: ["", ...geographies.map((one) => `${one}.`)].map((one) => `*.${one}communication.azure.com`),
  endpoints: [...emails, ...sms, ...validations],
  readKey: readCaller,
  loadEvents: async () => (await import("./event-webhook.ts")).acsEvents,
  ...acsErrors,
  sms: null,
  email: {
    requestBytesMax: 10 * 1024 * 1024,
    recipientCountMax,
    features: ["attachments", "inline images", "custom headers", "idempotency"],
    uuidOf: uuidOfId,
  },
};
