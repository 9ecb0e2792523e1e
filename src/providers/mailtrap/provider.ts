import type { IncomingHttpHeaders } from "node:http";
import { uuidOfId } from "../formats/uuid.ts";
import { endpoints } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { mailtrapErrors } from "./errors.ts";

const sending = { body: "mail", success: 200 } as const;
const emails = endpoints({ load: async () => import("./emails.ts") }, [
  ["POST /api/send", "sendEmail", "Send a mail through the Mailtrap-compatible API.", sending],
  ["POST /api/batch", "sendBatch", "Send up to 500 mails, as Mailtrap does.", sending],
]);

const account = "/api/accounts/:account";
const template = `${account}/email_templates/:id` as const;
const templates = endpoints({ load: async () => import("./templates.ts") }, [
  [
    `POST ${account}/email_templates`,
    "createTemplate",
    "Create a template in Mailtrap's format.",
    { body: "mail", success: 201 },
  ],
  [`GET ${account}/email_templates`, "listTemplates", "List templates in Mailtrap's format."],
  [`GET ${template}`, "getTemplate", "Return a template in Mailtrap's format."],
  [`PATCH ${template}`, "updateTemplate", "Change a template, as Mailtrap does.", { body: "mail", success: 200 }],
  [`DELETE ${template}`, "deleteTemplate", "Remove a template, as Mailtrap does.", 204],
]);

const suppressions = endpoints({ load: async () => import("./suppressions.ts") }, [
  [`GET ${account}/suppressions`, "listSuppressions", "List suppressed addresses in Mailtrap's format."],
  [`POST ${account}/suppressions`, "createSuppression", "Suppress an address, as Mailtrap does.", 201],
  [`DELETE ${account}/suppressions/:id`, "deleteSuppression", "Remove a suppression, as Mailtrap does.", 200],
]);

/** Returns the key of the field Api-Token, else of Bearer authorization. */
function readKey({ "api-token": token, authorization = "" }: IncomingHttpHeaders): string | null {
  if (typeof token === "string" && token !== "") return token;
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? null;
}

/** Mailtrap's sending API. */
export const mailtrap: Provider = {
  name: "mailtrap",
  label: "Mailtrap",
  apiOrigins: /^https:\/\/(?:(?:send|bulk|sandbox)\.api\.)?mailtrap\.io$/,
  hosts: ["send.api.mailtrap.io", "bulk.api.mailtrap.io", "sandbox.api.mailtrap.io", "mailtrap.io"],
  endpoints: [...emails, ...templates, ...suppressions],
  readKey,
  loadEvents: async () => (await import("./event-webhook.ts")).mailtrapEvents,
  ...mailtrapErrors,
  sms: null,
  email: {
    requestBytesMax: 50 * 1024 * 1024,
    recipientCountMax: 1000,
    features: [
      ...(["batch", "attachments", "inline images", "custom headers", "tags", "metadata"] as const),
      ...(["stored templates", "templates of the provider"] as const),
    ],
    uuidOf: uuidOfId,
  },
};
