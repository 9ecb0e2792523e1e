import type { Provider } from "../provider.ts";
import { mailjetEndpoints } from "./endpoints.ts";
import { mailjetErrorResponse } from "./errors.ts";
import { mailjetFault } from "./faults.ts";
import { mailjetUuidOf } from "./response.ts";

/** Mailjet's Send APIs, messages and templates. */
export const mailjet: Provider = {
  name: "mailjet",
  label: "Mailjet",
  apiOrigins: /^https:\/\/api(?:\.us)?\.mailjet\.com$/,
  hosts: ["api.mailjet.com"],
  endpoints: mailjetEndpoints,
  loadEvents: async () => (await import("./event-webhook.ts")).mailjetEvents,
  errorResponse: mailjetErrorResponse,
  failureResponse: mailjetErrorResponse,
  faultResponse: mailjetFault,
  sms: null,
  email: {
    // 15 MB of files are 20 MB of base64.
    requestBytesMax: 25_000_000,
    recipientCountMax: 50,
    features: [
      "batch",
      "attachments",
      "inline images",
      "custom headers",
      "tags",
      "stored templates",
      "templates of the provider",
      "sandbox",
      "read back",
    ],
    uuidOf: mailjetUuidOf,
  },
};
