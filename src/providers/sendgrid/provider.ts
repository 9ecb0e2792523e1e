import { uuidOfBase64url } from "../formats/uuid.ts";
import { endpoints, type Handler } from "../kit/endpoints.ts";
import { jsonResponse, type Provider } from "../provider.ts";
import { sendGridErrors } from "./errors.ts";

const sent = {
  body: "mail",
  success: [202, "The mail is stored or scheduled; `X-Message-Id` identifies it."],
  also: [200, "The mail is valid (sandbox mode)."],
} as const;
const sending = endpoints({ load: async () => import("./send.ts"), ...sent }, [
  ["POST /v3/mail/send", "sendMail", "Send mail through the SendGrid-compatible API."],
]);

const batch = "/v3/user/scheduled_sends";
const batches = endpoints({ load: async () => import("./batches.ts") }, [
  ["POST /v3/mail/batch", "postBatch", "Create a batch id for scheduled mail, as SendGrid does.", 201],
  ["GET /v3/mail/batch/:id", "getBatch", "Validate a batch id, as SendGrid does."],
  [`POST ${batch}`, "postStatus", "Pause or cancel a batch of scheduled mail, as SendGrid does.", 201],
  [`GET ${batch}`, "getStatuses", "List paused and cancelled batches, as SendGrid does."],
  [`GET ${batch}/:id`, "getStatus", "Return the status of a batch, as SendGrid does."],
  [`PATCH ${batch}/:id`, "patchStatus", "Change the status of a batch, as SendGrid does.", 204],
  [`DELETE ${batch}/:id`, "deleteStatus", "Resume a batch, as SendGrid does.", 204],
]);

const template = "/v3/templates/:id";
const version = `${template}/versions/:version` as const;
const templates = endpoints({ load: async () => import("./template-endpoints.ts") }, [
  ["POST /v3/templates", "postTemplate", "Create a template in SendGrid's format.", 201],
  ["GET /v3/templates", "getTemplates", "List templates in SendGrid's format."],
  [`GET ${template}`, "getTemplate", "Return a template in SendGrid's format."],
  [`POST ${template}`, "copyTemplate", "Copy a template, as SendGrid does.", 201],
  [`PATCH ${template}`, "patchTemplate", "Rename a template, as SendGrid does."],
  [`DELETE ${template}`, "deleteTemplate", "Remove a template, as SendGrid does.", 204],
  [
    `POST ${template}/versions`,
    "postVersion",
    "Create a version of a template in SendGrid's format.",
    { body: "mail", success: 201 },
  ],
  [`GET ${version}`, "getVersion", "Return a version of a template in SendGrid's format."],
  [`PATCH ${version}`, "patchVersion", "Change a version of a template, as SendGrid does.", { body: "mail" }],
  [`DELETE ${version}`, "deleteVersion", "Remove a version of a template, as SendGrid does.", 204],
  [`POST ${version}/activate`, "activate", "Activate a version of a template, as SendGrid does."],
]);

/** Scopes of every key: those that the endpoints here need. */
const scopes = [
  "mail.send",
  "mail.batch.create",
  "mail.batch.read",
  ...["user.scheduled_sends", "templates", "templates.versions"].flatMap((object) =>
    ["create", "read", "update", "delete"].map((act) => `${object}.${act}`),
  ),
  "templates.versions.activate.create",
];
const getScopes: Handler = async () => jsonResponse(200, { scopes });
const account = endpoints({ load: () => ({ getScopes }) }, [
  ["GET /v3/scopes", "getScopes", "List the scopes of a key in SendGrid's format."],
]);

/** Twilio SendGrid's Web API v3. */
export const sendgrid: Provider = {
  name: "sendgrid",
  label: "SendGrid",
  apiOrigins: /^https:\/\/api(?:\.eu)?\.sendgrid\.com$/,
  hosts: ["api.sendgrid.com", "api.eu.sendgrid.com"],
  libraryNotes: {
    java: 'the library ignores proxies; use new SendGrid(key, true) and setHost("127.0.0.1:8025/providers/sendgrid").',
  },
  endpoints: [...sending, ...batches, ...account, ...templates],
  loadEvents: async () => (await import("./event-webhook.ts")).sendGridEvents,
  ...sendGridErrors,
  sms: null,
  email: {
    requestBytesMax: 30 * 1024 * 1024,
    recipientCountMax: 1000,
    features: [
      ...(["batch", "attachments", "inline images", "custom headers", "tags", "metadata"] as const),
      ...(["stored templates", "templates of the provider", "schedule", "sandbox"] as const),
    ],
    // Of further personalizations, the message id follows that of the first one.
    uuidOf: (providerId) => uuidOfBase64url(/^(?:[\w-]{22}\.)?([\w-]{22})$/.exec(providerId)?.[1] ?? ""),
  },
};
