import type { Provider } from "../provider.ts";
import { mailgunEndpoints } from "./endpoints.ts";
import { mailgunErrorResponse } from "./errors.ts";
import { mailgunFault } from "./faults.ts";
import { mailgunUuidOf } from "./response.ts";

/** Mailgun's API. */
export const mailgun: Provider = {
  name: "mailgun",
  label: "Mailgun",
  apiOrigins: /^https:\/\/api\.(?:eu\.)?mailgun\.net$/,
  hosts: ["api.mailgun.net", "api.eu.mailgun.net"],
  endpoints: mailgunEndpoints,
  errorResponse: mailgunErrorResponse,
  failureResponse: mailgunErrorResponse,
  loadEvents: async () => (await import("./event-webhook.ts")).mailgunEvents,
  faultResponse: mailgunFault,
  sms: null,
  email: {
    requestBytesMax: 52_400_000,
    recipientCountMax: 1000,
    features: [
      ...(["batch", "attachments", "inline images", "custom headers", "tags", "metadata"] as const),
      ...(["stored templates", "templates of the provider", "schedule", "sandbox", "read back"] as const),
    ],
    uuidOf: mailgunUuidOf,
  },
};
