import type { Provider } from "../provider.ts";
import { resendEndpoints } from "./endpoints.ts";
import { resendErrorResponse } from "./errors.ts";
import { resendFault } from "./faults.ts";
import { uuidOfId } from "./response.ts";

/** Resend's email API. */
export const resend: Provider = {
  name: "resend",
  label: "Resend",
  apiOrigins: /^https:\/\/api\.resend\.com$/,
  hosts: ["api.resend.com"],
  endpoints: resendEndpoints,
  loadEvents: async () => (await import("./event-webhook.ts")).resendEvents,
  errorResponse: resendErrorResponse,
  failureResponse: resendErrorResponse,
  faultResponse: resendFault,
  sms: null,
  email: {
    requestBytesMax: 40 * 1024 * 1024,
    recipientCountMax: 50,
    features: [
      "batch",
      "attachments",
      "inline images",
      "custom headers",
      "metadata",
      "stored templates",
      "templates of the provider",
      "schedule",
      "cancel",
      "idempotency",
      "read back",
    ],
    uuidOf: uuidOfId,
  },
};
