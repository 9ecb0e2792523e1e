import { uuidOfId } from "../formats/uuid.ts";
import { endpoints, openEndpoints } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { postmarkErrors } from "./errors.ts";
import { isTestToken } from "./request.ts";

const sending = openEndpoints({ load: async () => import("./send.ts"), body: "mail" }, [
  ["POST /email", "sendEmail", "Send a mail through the Postmark-compatible API.", 200],
  ["POST /email/batch", "sendBatch", "Send up to 500 mails through the Postmark-compatible API.", 200],
  ["POST /email/withTemplate", "sendWithTemplate", "Send a mail with a template, as Postmark does.", 200],
  ["POST /email/batchWithTemplates", "sendBatchWithTemplates", "Send up to 500 mails with templates.", 200],
]);

const validation = endpoints({ load: async () => import("./validate.ts"), body: "mail", need: "read" }, [
  ["POST /templates/validate", "validateTemplate", "Render a template with a model, as Postmark does.", 200],
]);

const templates = endpoints(
  { load: async () => import("./template-endpoints.ts"), byMethod: { POST: { body: "mail" }, PUT: { body: "mail" } } },
  [
    ["POST /templates", "postTemplate", "Create a template in Postmark's format.", 200],
    ["GET /templates", "getTemplates", "List templates in Postmark's format."],
    ["GET /templates/:id", "getTemplate", "Return a template, by id or alias, in Postmark's format."],
    ["PUT /templates/:id", "editTemplate", "Change a template, as Postmark does."],
    ["DELETE /templates/:id", "deleteTemplate", "Remove a template, as Postmark does.", 200],
  ],
);

const messages = endpoints({ load: async () => import("./messages.ts") }, [
  ["GET /messages/outbound", "getMessages", "Search sent mail in Postmark's format."],
  ["GET /messages/outbound/:id/details", "getDetails", "Return a sent mail in Postmark's format."],
  ["GET /messages/outbound/:id/dump", "getDump", "Return the source of a sent mail in Postmark's format."],
]);

const list = "/message-streams/:id/suppressions";
const suppressions = endpoints({ load: async () => import("./account.ts") }, [
  [`GET ${list}/dump`, "listSuppressions", "List the suppressed addresses of a stream in Postmark's format."],
  [`POST ${list}`, "createSuppressions", "Suppress addresses of a stream, as Postmark does.", 200],
  [`POST ${list}/delete`, "deleteSuppressions", "Delete suppressions of a stream, as Postmark does.", 200],
]);

const statistics = "Return statistics of bounces, which are zero, in Postmark's format.";
const noBounce = "Respond that there is no bounce, as Postmark does.";
const empty = (list: string): string => `Return an empty list of ${list} in Postmark's format.`;
const account = endpoints({ load: async () => (await import("./account.ts")).accountHandlers }, [
  ["GET /server", "getServer", "Return the server in Postmark's format."],
  ["GET /deliverystats", "getStatistics", statistics],
  ["GET /deliveryStats", "getStatistics", statistics],
  ["GET /bounces", "listBounces", empty("bounces")],
  ["GET /bounces/:id", "getBounce", noBounce],
  ["GET /bounces/:id/dump", "getBounce", noBounce],
  ["GET /messages/outbound/opens", "listOpens", empty("opens")],
  ["GET /messages/outbound/opens/:id", "listOpens", empty("opens")],
  ["GET /messages/outbound/clicks", "listClicks", empty("clicks")],
  ["GET /messages/outbound/clicks/:id", "listClicks", empty("clicks")],
  ["GET /message-streams", "listStreams", "List the message streams in Postmark's format."],
  ["GET /message-streams/:id", "getStream", "Return a message stream in Postmark's format."],
]);

/** Postmark's API with server tokens. */
export const postmark: Provider = {
  name: "postmark",
  label: "Postmark",
  apiOrigins: /^https:\/\/api\.postmarkapp\.com$/,
  hosts: ["api.postmarkapp.com"],
  endpoints: [...sending, ...validation, ...templates, ...messages, ...suppressions, ...account],
  readKey: ({ "x-postmark-server-token": token }) => (typeof token === "string" && token !== "" ? token : null),
  isPublicKey: isTestToken,
  loadEvents: async () => (await import("./event-webhook.ts")).postmarkEvents,
  ...postmarkErrors,
  sms: null,
  email: {
    // A batch; one message may have 10 MB.
    requestBytesMax: 50 * 1024 * 1024,
    recipientCountMax: 50,
    features: [
      ...(["batch", "attachments", "inline images", "custom headers", "tags", "metadata"] as const),
      ...(["stored templates", "sandbox", "read back"] as const),
    ],
    uuidOf: (id) => uuidOfId(id.toLowerCase()),
  },
};
