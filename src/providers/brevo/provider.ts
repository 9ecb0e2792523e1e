import type { Provider } from "../provider.ts";
import { brevoEndpoints } from "./endpoints.ts";
import { brevoErrorResponse } from "./errors.ts";
import { brevoFault } from "./faults.ts";
import { uuidOfId } from "./response.ts";

/** Brevo's transactional mail and SMS, API version 3. */
export const brevo: Provider = {
  name: "brevo",
  label: "Brevo",
  apiOrigins: /^https:\/\/api\.(?:brevo|sendinblue)\.com$/,
  hosts: ["api.brevo.com", "api.sendinblue.com"],
  endpoints: brevoEndpoints,
  readKey: (headers) => {
    const key = headers["api-key"];
    return typeof key === "string" && key !== "" ? key : null;
  },
  loadEvents: async () => (await import("./event-webhook.ts")).brevoEvents,
  errorResponse: brevoErrorResponse,
  failureResponse: brevoErrorResponse,
  faultResponse: brevoFault,
  sms: null,
  email: {
    requestBytesMax: 20 * 1024 * 1024,
    recipientCountMax: 99,
    features: [
      "batch",
      "attachments",
      "custom headers",
      "tags",
      "stored templates",
      "templates of the provider",
      "schedule",
      "cancel",
      "sandbox",
      "idempotency",
      "read back",
    ],
    uuidOf: uuidOfId,
  },
};
