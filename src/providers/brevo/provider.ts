import { endpoints, type Handler } from "../kit/endpoints.ts";
import { jsonResponse, type Provider } from "../provider.ts";
import { brevoErrors } from "./errors.ts";
import { uuidOfId } from "./response.ts";

const mail = "/v3/smtp/email";

const emails = endpoints({ load: async () => import("./emails.ts") }, [
  [
    `POST ${mail}`,
    "sendMail",
    "Send mail through the Brevo-compatible API.",
    {
      body: "mail",
      success: [201, "The id of the mail, or those of its versions."],
      also: [202, "The mail is scheduled."],
    },
  ],
  [`DELETE ${mail}/:id`, "cancelMail", "Cancel a scheduled mail or a batch, as Brevo does.", 204],
  [`GET ${mail}Status/:id`, "getStatus", "Return the status of a scheduled mail or a batch in Brevo's format."],
  [`GET ${mail}s`, "listMails", "List mail in Brevo's format."],
  [`GET ${mail}s/:id`, "getMail", "Return a mail in Brevo's format."],
  ["GET /v3/smtp/statistics/events", "listEvents", "List the events of mail in Brevo's format."],
]);

const template = "/v3/smtp/templates/:id";
const templates = endpoints({ load: async () => import("./templates.ts") }, [
  ["POST /v3/smtp/templates", "createTemplate", "Create a template.", { body: "mail", success: 201 }],
  ["GET /v3/smtp/templates", "listTemplates", "List templates in Brevo's format."],
  [`GET ${template}`, "getTemplate", "Return a template in Brevo's format."],
  [`PUT ${template}`, "updateTemplate", "Change a template, as Brevo does.", { body: "mail", success: 204 }],
  [`DELETE ${template}`, "deleteTemplate", "Remove a template, as Brevo does.", 204],
]);

const sms = endpoints({ load: async () => import("./sms.ts") }, [
  ["POST /v3/transactionalSMS/sms", "sendSms", "Send an SMS through the Brevo-compatible API.", 201],
  ["POST /v3/transactionalSMS/send", "sendSms", "Send an SMS through the Brevo-compatible API.", 201],
]);

const getAccount: Handler = async () =>
  jsonResponse(200, {
    email: "account@restante.example.com",
    firstName: "",
    lastName: "",
    companyName: "",
    address: { street: "", city: "", zipCode: "", country: "" },
    plan: [{ type: "free", creditsType: "sendLimit", credits: 300 }],
    relay: { enabled: true, data: { userName: "", relay: "127.0.0.1", port: 1025 } },
  });
const account = endpoints({ load: () => ({ getAccount }) }, [
  ["GET /v3/account", "getAccount", "Return an account in Brevo's format."],
]);

/** Brevo's transactional mail and SMS, API version 3. */
export const brevo: Provider = {
  name: "brevo",
  label: "Brevo",
  apiOrigins: /^https:\/\/api\.(?:brevo|sendinblue)\.com$/,
  hosts: ["api.brevo.com", "api.sendinblue.com"],
  endpoints: [...emails, ...templates, ...sms, ...account],
  readKey: ({ "api-key": key }) => (typeof key === "string" && key !== "" ? key : null),
  loadEvents: async () => (await import("./event-webhook.ts")).brevoEvents,
  ...brevoErrors,
  sms: null,
  email: {
    requestBytesMax: 20 * 1024 * 1024,
    recipientCountMax: 99,
    features: [
      ...(["batch", "attachments", "custom headers", "tags", "stored templates", "templates of the provider"] as const),
      ...(["schedule", "cancel", "sandbox", "idempotency", "read back"] as const),
    ],
    uuidOf: uuidOfId,
  },
};
