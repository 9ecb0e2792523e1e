import { endpoints } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { mailgunErrors } from "./errors.ts";
import { mailgunUuidOf } from "./response.ts";

/** Small forms may be multipart, too, which only endpoints of mail read. */
const settings = { body: "mail", success: [200, "Mailgun's response."], byMethod: { GET: { body: "small" } } } as const;

const messages = endpoints({ load: async () => import("./messages.ts"), ...settings }, [
  ["POST /v3/:domain/messages", "sendMessage", "Send a message."],
  ["POST /v3/:domain/messages.mime", "sendMime", "Send a whole mail."],
  ["GET /v3/domains/:domain/messages/:key", "getStored", "Read a stored message."],
  ["POST /v3/domains/:domain/messages/:key", "resend", "Send a stored message to other recipients."],
]);

const events = endpoints({ load: async () => import("./events.ts"), ...settings }, [
  ["GET /v3/:domain/events", "listEvents", "List events."],
  ["GET /v3/:domain/events/:page", "listEvents", "List a page of events."],
]);

const domains = endpoints({ load: async () => import("./messages.ts"), ...settings }, [
  ["GET /v3/domains", "listDomains", "List domains."],
  ["GET /v4/domains", "listDomains", "List domains."],
  ["GET /v3/domains/:domain", "getDomain", "Read a domain."],
  ["GET /v4/domains/:domain", "getDomain", "Read a domain."],
]);

const all = "/v3/:domain/templates";
const template = `${all}/:name` as const;
const version = `${template}/versions/:tag` as const;
const templates = endpoints({ load: async () => import("./template-endpoints.ts"), ...settings }, [
  [`POST ${all}`, "createTemplate", "Create a template."],
  [`GET ${all}`, "listTemplates", "List templates."],
  [`DELETE ${all}`, "deleteTemplates", "Delete all templates."],
  [`GET ${template}`, "getTemplate", "Read a template."],
  [`PUT ${template}`, "updateTemplate", "Change a template."],
  [`DELETE ${template}`, "deleteTemplate", "Delete a template."],
  [`POST ${template}/versions`, "createVersion", "Create a version of a template."],
  [`GET ${template}/versions`, "listVersions", "List the versions of a template."],
  [`GET ${version}`, "getVersion", "Read a version of a template."],
  [`PUT ${version}`, "updateVersion", "Change a version of a template."],
  [`DELETE ${version}`, "deleteVersion", "Delete a version of a template."],
]);

/** Mailgun's API. */
export const mailgun: Provider = {
  name: "mailgun",
  label: "Mailgun",
  apiOrigins: /^https:\/\/api\.(?:eu\.)?mailgun\.net$/,
  hosts: ["api.mailgun.net", "api.eu.mailgun.net"],
  endpoints: [...messages, ...events, ...domains, ...templates],
  loadEvents: async () => (await import("./event-webhook.ts")).mailgunEvents,
  ...mailgunErrors,
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
