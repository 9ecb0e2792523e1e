import { uuidOfDigits } from "../formats/uuid.ts";
import { endpoints, type Handler } from "../kit/endpoints.ts";
import { jsonResponse, type Provider } from "../provider.ts";
import { mailerSendErrors } from "./errors.ts";

const emails = endpoints({ load: async () => import("./emails.ts") }, [
  ["POST /v1/email", "sendEmail", "Send a mail through the MailerSend-compatible API.", { body: "mail", success: 202 }],
  ["POST /v1/bulk-email", "sendBulk", "Send up to 500 mails, as MailerSend does.", { body: "mail", success: 202 }],
  ["GET /v1/bulk-email/:id", "getBulk", "Return the state of a bulk request in MailerSend's format."],
  ["GET /v1/messages", "listMessages", "List messages in MailerSend's format."],
  ["GET /v1/messages/:id", "getMessage", "Return a message in MailerSend's format."],
  ["GET /v1/message-schedules", "listSchedules", "List scheduled mail in MailerSend's format."],
  ["GET /v1/message-schedules/:id", "getSchedule", "Return a scheduled mail in MailerSend's format."],
  ["DELETE /v1/message-schedules/:id", "deleteSchedule", "Cancel a scheduled mail, as MailerSend does.", 204],
]);

const templates = endpoints({ load: async () => import("./templates.ts") }, [
  ["POST /v1/templates", "createTemplate", "Create a template in MailerSend's format.", { body: "mail", success: 201 }],
  ["GET /v1/templates", "listTemplates", "List templates in MailerSend's format."],
  ["GET /v1/templates/:id", "getTemplate", "Return a template in MailerSend's format."],
  ["PUT /v1/templates/:id", "updateTemplate", "Change a template, as MailerSend does.", { body: "mail", success: 200 }],
  ["DELETE /v1/templates/:id", "deleteTemplate", "Remove a template, as MailerSend does.", 204],
]);

const suppressions = endpoints({ load: async () => import("./suppressions.ts") }, [
  ["GET /v1/suppressions/:list", "listSuppressions", "List suppressed recipients in MailerSend's format."],
  ["POST /v1/suppressions/:list", "addSuppressions", "Suppress recipients, as MailerSend does.", 201],
  ["DELETE /v1/suppressions/:list", "removeSuppressions", "Remove suppressions, as MailerSend does.", 200],
]);

const sms = endpoints({ load: async () => import("./sms.ts") }, [
  ["POST /v1/sms", "sendSms", "Send an SMS through the MailerSend-compatible API.", 202],
  ["GET /v1/sms-messages", "listSms", "List SMS in MailerSend's format."],
  ["GET /v1/sms-messages/:id", "getSms", "Return an SMS in MailerSend's format."],
  ["GET /v1/sms-activity", "listActivity", "List what happened to SMS in MailerSend's format."],
  ["GET /v1/sms-numbers", "listNumbers", "List numbers that have sent SMS in MailerSend's format."],
  ["GET /v1/sms-numbers/:id", "getNumber", "Return a number that has sent SMS in MailerSend's format."],
  ["PUT /v1/sms-numbers/:id", "updateNumber", "Pause a number, as MailerSend does.", 200],
  ["DELETE /v1/sms-numbers/:id", "deleteNumber", "Remove a number, as MailerSend does.", 204],
  ["GET /v1/sms-recipients", "listRecipients", "List recipients of SMS in MailerSend's format."],
  ["GET /v1/sms-recipients/:id", "getRecipient", "Return a recipient of SMS in MailerSend's format."],
  ["PUT /v1/sms-recipients/:id", "updateRecipient", "Exclude a number from SMS, as MailerSend does.", 200],
]);

const webhooksAt = (base: string, kind: "webhooks" | "smsWebhooks", subject: string) =>
  endpoints({ load: async () => (await import("./webhooks.ts"))[kind], base }, [
    ["POST ", "add", `Register a webhook about ${subject}, as MailerSend does.`, 201],
    ["GET ", "list", `List webhooks about ${subject} in MailerSend's format.`],
    ["GET /:id", "get", `Return a webhook about ${subject} in MailerSend's format.`],
    ["PUT /:id", "update", `Change a webhook about ${subject}, as MailerSend does.`, 200],
    ["DELETE /:id", "remove", `Remove a webhook about ${subject}, as MailerSend does.`, 204],
  ]);
const webhooks = [
  ...webhooksAt("/v1/webhooks", "webhooks", "mail"),
  ...webhooksAt("/v1/sms-webhooks", "smsWebhooks", "SMS"),
];

const quota = 500_000;
const getQuota: Handler = async ({ services }) => {
  const reset = new Date(services.now());
  reset.setUTCHours(24, 0, 0, 0);
  return jsonResponse(200, { quota, remaining: quota, reset: reset.toISOString().replace(".000Z", "Z") });
};
const account = endpoints({ load: () => ({ getQuota }) }, [
  ["GET /v1/api-quota", "getQuota", "Return a daily quota in MailerSend's format."],
]);

/** MailerSend's email and SMS API. */
export const mailersend: Provider = {
  name: "mailersend",
  label: "MailerSend",
  apiOrigins: /^https:\/\/api\.mailersend\.com$/,
  hosts: ["api.mailersend.com"],
  endpoints: [...emails, ...templates, ...suppressions, ...sms, ...webhooks, ...account],
  loadEvents: async () => (await import("./event-webhook.ts")).mailerSendEvents,
  ...mailerSendErrors,
  sms: null,
  email: {
    requestBytesMax: 50 * 1024 * 1024,
    recipientCountMax: 50,
    features: [
      ...(["batch", "attachments", "inline images", "custom headers", "tags", "stored templates"] as const),
      ...(["templates of the provider", "schedule", "cancel", "read back"] as const),
    ],
    uuidOf: uuidOfDigits,
  },
};
