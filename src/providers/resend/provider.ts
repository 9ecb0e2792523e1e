import { uuidOfId } from "../formats/uuid.ts";
import { endpoints } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { resendErrors } from "./errors.ts";

const sending = { body: "mail", success: 200 } as const;
const emails = endpoints({ load: async () => import("./emails.ts") }, [
  ["POST /emails", "sendEmail", "Send a mail through the Resend-compatible API.", sending],
  ["POST /emails/batch", "sendBatch", "Send up to 100 mails through the Resend-compatible API.", sending],
  ["GET /emails", "listEmails", "List mails in Resend's format."],
  ["GET /emails/:id", "getEmail", "Return a mail in Resend's format."],
  ["PATCH /emails/:id", "updateEmail", "Change the time of a scheduled mail, as Resend does."],
  ["POST /emails/:id/cancel", "cancelEmail", "Cancel a scheduled mail, as Resend does.", 200],
]);

const template = "/templates/:id";
const templates = endpoints({ load: async () => import("./templates.ts") }, [
  ["POST /templates", "createTemplate", "Create a template in Resend's format.", { body: "mail", success: 200 }],
  ["GET /templates", "listTemplates", "List templates in Resend's format."],
  [`GET ${template}`, "getTemplate", "Return a template in Resend's format."],
  [`PATCH ${template}`, "updateTemplate", "Change a template, as Resend does.", { body: "mail" }],
  [`DELETE ${template}`, "deleteTemplate", "Remove a template, as Resend does."],
  [`POST ${template}/publish`, "publishTemplate", "Publish a template, as Resend does.", 200],
  [`POST ${template}/duplicate`, "duplicateTemplate", "Copy a template, as Resend does.", 200],
]);

/** Resend's email API. */
export const resend: Provider = {
  name: "resend",
  label: "Resend",
  apiOrigins: /^https:\/\/api\.resend\.com$/,
  hosts: ["api.resend.com"],
  endpoints: [...emails, ...templates],
  loadEvents: async () => (await import("./event-webhook.ts")).resendEvents,
  ...resendErrors,
  sms: null,
  email: {
    requestBytesMax: 40 * 1024 * 1024,
    recipientCountMax: 50,
    features: [
      ...(["batch", "attachments", "inline images", "custom headers", "metadata", "stored templates"] as const),
      ...(["templates of the provider", "schedule", "cancel", "idempotency", "read back"] as const),
    ],
    uuidOf: uuidOfId,
  },
};
