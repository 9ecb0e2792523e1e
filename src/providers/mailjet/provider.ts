import { endpoints } from "../kit/endpoints.ts";
import { uuidOfId } from "../formats/uuid.ts";
import type { Provider } from "../provider.ts";
import { mailjetErrors } from "./errors.ts";

const byMethod = {
  GET: { success: 200 },
  POST: { body: "mail", success: 201 },
  PUT: { body: "mail", success: 200 },
  DELETE: { success: 204 },
} as const;

const sending = endpoints({ load: async () => import("./send.ts"), byMethod }, [
  ["POST /v3.1/send", "sendV31", "Send messages (Send API v3.1).", 200],
  ["POST /v3/send", "sendV3", "Send messages (Send API v3).", 200],
  ["POST /v3/send/message", "sendV3", "Send messages (Send API v3).", 200],
]);

const messages = endpoints({ load: async () => import("./messages.ts"), byMethod }, [
  ["GET /v3/REST/message", "listMessages", "List messages."],
  ["GET /v3/REST/message/:id", "getMessage", "Read a message."],
  ["GET /v3/REST/messagehistory/:id", "getHistory", "Read the history of a message."],
]);

const template = "/v3/REST/template";
const templates = endpoints({ load: async () => import("./templates.ts"), byMethod }, [
  [`GET ${template}`, "listTemplates", "List templates."],
  [`POST ${template}`, "createTemplate", "Create a template."],
  [`GET ${template}/:id`, "getTemplate", "Read a template."],
  [`PUT ${template}/:id`, "updateTemplate", "Change a template."],
  [`DELETE ${template}/:id`, "deleteTemplate", "Delete a template."],
  [`GET ${template}/:id/detailcontent`, "getContent", "Read the content of a template."],
  [`POST ${template}/:id/detailcontent`, "createContent", "Replace the content of a template."],
  [`PUT ${template}/:id/detailcontent`, "updateContent", "Change the content of a template."],
]);

/** Mailjet's Send APIs, messages and templates. */
export const mailjet: Provider = {
  name: "mailjet",
  label: "Mailjet",
  apiOrigins: /^https:\/\/api(?:\.us)?\.mailjet\.com$/,
  hosts: ["api.mailjet.com"],
  endpoints: [...sending, ...messages, ...templates],
  loadEvents: async () => (await import("./event-webhook.ts")).mailjetEvents,
  ...mailjetErrors,
  sms: null,
  email: {
    // 15 MB of files are 20 MB of base64.
    requestBytesMax: 25_000_000,
    recipientCountMax: 50,
    features: [
      ...(["batch", "attachments", "inline images", "custom headers", "tags", "stored templates"] as const),
      ...(["templates of the provider", "sandbox", "read back"] as const),
    ],
    uuidOf: uuidOfId,
  },
};
