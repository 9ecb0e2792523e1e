import type { IncomingHttpHeaders } from "node:http";
import { uuidOfId } from "../formats/uuid.ts";
import { endpoints } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { mailtrapErrors } from "./errors.ts";

const sending = { body: "mail", success: 200 } as const;
const emails = endpoints({ load: async () => import("./emails.ts"), ...sending }, [
  ["POST /api/send", "sendEmail", "Send a mail through the Mailtrap-compatible API."],
  ["POST /api/batch", "sendBatch", "Send up to 500 mails, as Mailtrap does."],
  ["POST /api/send/:inbox", "sendEmail", "Store a mail in a sandbox, as Mailtrap does."],
  ["POST /api/batch/:inbox", "sendBatch", "Store up to 500 mails in a sandbox, as Mailtrap does."],
]);

const account = "/api/accounts/:account";
const inbox = `${account}/inboxes/:inbox` as const;
const sandboxes = endpoints({ load: async () => import("./sandbox.ts") }, [
  ["GET /api/accounts", "listAccounts", "List accounts in Mailtrap's format."],
  [`GET ${account}/projects`, "listProjects", "List projects in Mailtrap's format."],
  [`GET ${account}/projects/:id`, "getProject", "Return a project in Mailtrap's format."],
  [`GET ${account}/inboxes`, "listInboxes", "List sandboxes, which are servers, in Mailtrap's format."],
  [`GET ${inbox}`, "getInbox", "Return a sandbox in Mailtrap's format."],
  [`PATCH ${inbox}/clean`, "cleanInbox", "Delete the mails of a sandbox, as Mailtrap does.", 200],
  [`PATCH ${inbox}/all_read`, "readAll", "Mark the mails of a sandbox as read, as Mailtrap does.", 200],
]);

const mail = `${inbox}/messages/:id` as const;
const mails = endpoints({ load: async () => import("./sandbox-messages.ts") }, [
  [`GET ${inbox}/messages`, "listMessages", "List the mails of a sandbox in Mailtrap's format."],
  [`GET ${mail}`, "getMessage", "Return a mail in Mailtrap's format."],
  [`PATCH ${mail}`, "updateMessage", "Mark a mail as read or unread, as Mailtrap does.", 200],
  [`DELETE ${mail}`, "deleteMessage", "Delete a mail, as Mailtrap does.", 200],
  [`GET ${mail}/body.html`, "getHtml", "Return the HTML of a mail."],
  [`GET ${mail}/body.htmlsource`, "getHtml", "Return the source of the HTML of a mail."],
  [`GET ${mail}/body.txt`, "getText", "Return the text of a mail."],
  [`GET ${mail}/body.raw`, "getRaw", "Return the source of a mail."],
  [`GET ${mail}/body.eml`, "getEml", "Return the source of a mail as a file."],
  [`GET ${mail}/mail_headers`, "getHeaders", "Return the header fields of a mail in Mailtrap's format."],
  [`GET ${mail}/spam_report`, "getSpamReport", "Return the spam report of a mail in Mailtrap's format."],
  [`GET ${mail}/analyze`, "getHtmlAnalysis", "Return the analysis of the HTML of a mail in Mailtrap's format."],
  [`GET ${mail}/attachments`, "listAttachments", "List the attachments of a mail in Mailtrap's format."],
  [`GET ${mail}/attachments/:attachment`, "getAttachment", "Return an attachment in Mailtrap's format."],
  [`GET ${mail}/attachments/:attachment/download`, "downloadAttachment", "Return the content of an attachment."],
]);

const created = { body: "mail", success: 201 } as const;
const template = `${account}/email_templates/:id` as const;
const templates = endpoints({ load: async () => import("./templates.ts") }, [
  [`POST ${account}/email_templates`, "createTemplate", "Create a template in Mailtrap's format.", created],
  [`GET ${account}/email_templates`, "listTemplates", "List templates in Mailtrap's format."],
  [`GET ${template}`, "getTemplate", "Return a template in Mailtrap's format."],
  [`PATCH ${template}`, "updateTemplate", "Change a template, as Mailtrap does.", sending],
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

/** Mailtrap's API: sending, and sandboxes. */
export const mailtrap: Provider = {
  name: "mailtrap",
  label: "Mailtrap",
  apiOrigins: /^https:\/\/(?:(?:send|bulk|sandbox)\.api\.)?mailtrap\.io$/,
  hosts: ["send.api.mailtrap.io", "bulk.api.mailtrap.io", "sandbox.api.mailtrap.io", "mailtrap.io"],
  endpoints: [...emails, ...sandboxes, ...mails, ...templates, ...suppressions],
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
