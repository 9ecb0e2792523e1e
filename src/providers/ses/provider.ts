import { readAccessKey } from "../formats/aws-access-key.ts";
import { endpoints, openEndpoints } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { recipientCountMax } from "./addresses.ts";
import { sesErrors } from "./errors.ts";
import { uuidOfMessageId } from "./response.ts";

const mail = { body: "mail" } as const;
const settings = {
  success: [200, "Response of Amazon SES."],
  byMethod: { POST: mail, PUT: mail, DELETE: mail },
} as const;

/** Version 1 of the API, at the root. */
const query = openEndpoints({ load: async () => import("./query.ts"), ...settings }, [
  ["POST /", "respondToQuery", "Call an action of version 1 of the Amazon SES API."],
]);

const sending = endpoints({ load: async () => import("./rest-sending.ts"), ...settings }, [
  ["POST /v2/email/outbound-emails", "sendEmail", "Send a mail through version 2 of the Amazon SES API."],
  ["POST /v2/email/outbound-bulk-emails", "sendBulkEmail", "Send a template to several destinations."],
]);

const read = { need: "read" } as const;
const sets = "/v2/email/configuration-sets";
const account = endpoints({ load: async () => import("./rest-account.ts"), ...settings }, [
  ["GET /v2/email/account", "getAccount", "Fetch the sending quota."],
  ["POST /v2/email/identities", "createIdentity", "Store an identity."],
  ["GET /v2/email/identities", "listIdentities", "List identities."],
  ["POST /v2/email/list-identities", "listIdentities", "List identities.", read],
  ["GET /v2/email/identities/:identity", "getIdentity", "Fetch an identity."],
  ["DELETE /v2/email/identities/:identity", "deleteIdentity", "Delete an identity."],
  [`POST ${sets}`, "createConfigurationSet", "Store a configuration set."],
  [`GET ${sets}`, "listConfigurationSets", "List configuration sets."],
  ["POST /v2/email/list-configuration-sets", "listConfigurationSets", "List configuration sets.", read],
  [`GET ${sets}/:name`, "getConfigurationSet", "Fetch a configuration set."],
  [`DELETE ${sets}/:name`, "deleteConfigurationSet", "Delete a configuration set."],
]);

const all = "/v2/email/templates";
const templates = endpoints({ load: async () => import("./rest-templates.ts"), ...settings }, [
  [`POST ${all}`, "createTemplate", "Store a template."],
  [`GET ${all}`, "listTemplates", "List templates."],
  [`GET ${all}/:name`, "getTemplate", "Fetch a template."],
  [`PUT ${all}/:name`, "updateTemplate", "Replace a template."],
  [`DELETE ${all}/:name`, "deleteTemplate", "Delete a template."],
  [`POST ${all}/:name/render`, "testRenderTemplate", "Render a template.", read],
]);

/** Amazon SES: version 2 (REST with JSON) and version 1 (Query with XML) of its API. */
export const ses: Provider = {
  name: "ses",
  label: "Amazon SES",
  // https://docs.aws.amazon.com/general/latest/gr/ses.html: email.<region>.amazonaws.com
  apiOrigins: /^https:\/\/email(?:-fips)?\.[a-z]{2,4}(?:-[a-z]{1,20}){1,3}-\d\.amazonaws\.com(?:\.cn)?$/,
  hosts: ["email.*.amazonaws.com"],
  signingName: "ses",
  endpointVariables: ["AWS_ENDPOINT_URL_SES", "AWS_ENDPOINT_URL_SESV2"],
  endpoints: [...query, ...sending, ...account, ...templates],
  readKey: readAccessKey,
  loadEvents: async () => (await import("./event-webhook.ts")).sesEvents,
  ...sesErrors,
  sms: null,
  email: {
    // A mail of 40 MB in base64, and the other members.
    requestBytesMax: 56 * 1024 * 1024,
    recipientCountMax,
    features: ["batch", "attachments", "inline images", "custom headers", "metadata", "stored templates"],
    uuidOf: uuidOfMessageId,
  },
};
