import { uuidOfDigits } from "../formats/uuid.ts";
import { endpoints } from "../kit/endpoints.ts";
import type { Provider, ProviderRequest } from "../provider.ts";
import { mandrillErrors, errors } from "./errors.ts";
import { readJsonObject } from "../formats/json-body.ts";

/** Returns the API key of a request, a member of its body; throws a rejection without one. */
function readKey({ body }: Pick<ProviderRequest, "body">): string {
  const { key } = readJsonObject(body) ?? {};
  if (typeof key !== "string" || key === "") throw errors.missing("key");
  return key;
}

const api = "the Mandrill-compatible API";
/** All requests are POST with the key in the body. SDKs call different versions, with and without `.json`. */
const shared = {
  base: "/api/:version",
  endings: ["", ".json"],
  keyOf: readKey,
  access: "own",
  success: 200,
} as const;
const reads = { need: "read" } as const;
const mail = { body: "mail" } as const;
const outcomes = { ...mail, success: [200, "The outcome for each recipient."] } as const;

const sending = endpoints({ ...shared, load: async () => import("./send.ts") }, [
  ["POST /messages/send", "sendMessage", `Send a mail through ${api}.`, outcomes],
  ["POST /messages/send-template", "sendTemplate", `Send a mail with a template through ${api}.`, outcomes],
  ["POST /messages/send-raw", "sendRaw", `Send a whole mail through ${api}.`, outcomes],
]);

const messages = endpoints({ ...shared, load: async () => import("./messages.ts") }, [
  ["POST /messages/info", "getMessage", `Get a mail of ${api}.`, reads],
  ["POST /messages/content", "getContent", `Get the content of a mail of ${api}.`, reads],
  ["POST /messages/search", "searchMessages", `Search the mails of ${api}.`, reads],
  ["POST /messages/list-scheduled", "listScheduled", `List the scheduled mails of ${api}.`, reads],
  ["POST /messages/cancel-scheduled", "cancelScheduled", `Cancel a scheduled mail of ${api}.`],
  ["POST /messages/reschedule", "reschedule", `Change the time of a scheduled mail of ${api}.`],
]);

const templates = endpoints({ ...shared, load: async () => import("./templates.ts") }, [
  ["POST /templates/add", "addTemplate", `Create a template of ${api}.`, mail],
  ["POST /templates/info", "getTemplate", `Get a template of ${api}.`, reads],
  ["POST /templates/update", "updateTemplate", `Change a template of ${api}.`, mail],
  ["POST /templates/publish", "publishTemplate", `Publish a template of ${api}.`],
  ["POST /templates/delete", "deleteTemplate", `Remove a template of ${api}.`],
  ["POST /templates/list", "listTemplates", `List the templates of ${api}.`, reads],
  ["POST /templates/render", "renderTemplate", `Render a template of ${api}.`, { ...reads, ...mail }],
]);

const account = endpoints({ ...shared, load: async () => import("./account.ts") }, [
  ["POST /rejects/add", "addReject", `Reject mail to an address through ${api}.`],
  ["POST /rejects/list", "listRejects", `List the addresses to which ${api} rejects mail.`, reads],
  ["POST /rejects/delete", "deleteReject", `Accept mail to an address again through ${api}.`],
  ["POST /users/ping", "ping", `Validate a key of ${api}.`, reads],
  ["POST /users/ping2", "ping2", `Validate a key of ${api}.`, reads],
  ["POST /users/info", "getUser", `Describe the account of ${api}.`, reads],
  ["POST /users/senders", "listSenders", `List the senders of ${api}.`, reads],
  ["POST /senders/list", "listSenders", `List the senders of ${api}.`, reads],
  ["POST /senders/domains", "listDomains", `List the domains of the senders of ${api}.`, reads],
]);

const loadWebhooks = async () => (await import("./webhooks.ts")).webhooks;
const webhooks = endpoints({ ...shared, load: loadWebhooks }, [
  ["POST /webhooks/add", "add", `Register a webhook through ${api}.`],
  ["POST /webhooks/list", "list", `List the webhooks of ${api}.`, reads],
  ["POST /webhooks/info", "get", `Get a webhook of ${api}.`, reads],
  ["POST /webhooks/update", "update", `Change a webhook of ${api}.`],
  ["POST /webhooks/delete", "remove", `Remove a webhook of ${api}.`],
]);

const domains = endpoints({ ...shared, load: async () => import("./webhooks.ts") }, [
  ["POST /inbound/domains", "listDomains", `List the inbound domains of ${api}.`, reads],
  ["POST /inbound/add-domain", "addDomain", `Add an inbound domain through ${api}.`],
  ["POST /inbound/check-domain", "checkDomain", `Check an inbound domain of ${api}.`, reads],
  ["POST /inbound/delete-domain", "deleteDomain", `Remove an inbound domain of ${api}.`],
  ["POST /inbound/send-raw", "sendRaw", `Send a whole mail to the inbound routes of ${api}.`, mail],
]);

const loadRoutes = async () => (await import("./webhooks.ts")).routes;
const routes = endpoints({ ...shared, load: loadRoutes }, [
  ["POST /inbound/add-route", "add", `Add an inbound route through ${api}.`],
  ["POST /inbound/routes", "list", `List the inbound routes of a domain of ${api}.`, reads],
  ["POST /inbound/update-route", "update", `Change an inbound route of ${api}.`],
  ["POST /inbound/delete-route", "remove", `Remove an inbound route of ${api}.`],
]);

/** Mandrill, which Mailchimp calls Transactional. */
export const mandrill: Provider = {
  name: "mandrill",
  label: "Mandrill",
  apiOrigins: /^https:\/\/mandrillapp\.com$/,
  hosts: ["mandrillapp.com"],
  endpoints: [...sending, ...messages, ...templates, ...account, ...webhooks, ...domains, ...routes],
  ...mandrillErrors,
  sms: null,
  email: {
    requestBytesMax: 35_000_000,
    recipientCountMax: 1000,
    features: [
      ...(["batch", "attachments", "inline images", "custom headers", "tags", "metadata"] as const),
      ...(["stored templates", "schedule", "cancel", "read back"] as const),
    ],
    uuidOf: uuidOfDigits,
  },
  loadEvents: async () => (await import("./event-webhook.ts")).mandrillEvents,
};
