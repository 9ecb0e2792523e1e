import type { Provider } from "../provider.ts";
import { sendGridEndpoints } from "./endpoints.ts";
import { sendGridErrorResponse, sendGridFailure } from "./errors.ts";
import { sendGridFault } from "./faults.ts";
import { uuidOfId } from "./response.ts";

/** Twilio SendGrid's Web API v3. */
export const sendgrid: Provider = {
  name: "sendgrid",
  label: "SendGrid",
  apiOrigins: /^https:\/\/api(?:\.eu)?\.sendgrid\.com$/,
  hosts: ["api.sendgrid.com", "api.eu.sendgrid.com"],
  libraryNotes: {
    java: 'the library ignores proxies; use new SendGrid(key, true) and setHost("127.0.0.1:8025/providers/sendgrid").',
  },
  endpoints: sendGridEndpoints,
  errorResponse: sendGridErrorResponse,
  failureResponse: sendGridFailure,
  loadEvents: async () => (await import("./event-webhook.ts")).sendGridEvents,
  faultResponse: sendGridFault,
  sms: null,
  email: {
    requestBytesMax: 30 * 1024 * 1024,
    recipientCountMax: 1000,
    features: [
      "batch",
      "attachments",
      "inline images",
      "custom headers",
      "tags",
      "metadata",
      "stored templates",
      "templates of the provider",
      "schedule",
      "sandbox",
    ],
    uuidOf: uuidOfId,
  },
};
