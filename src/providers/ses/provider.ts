import { readAccessKey } from "../formats/aws-access-key.ts";
import { endpoints, openEndpoints } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { recipientCountMax } from "./request.ts";
import { sesErrors, uuidOfMessageId } from "./errors.ts";

const mail = { body: "mail" } as const;
const settings = {
  success: [200, "Response of Amazon SES."],
  byMethod: { POST: mail, PUT: mail, DELETE: mail },
} as const;

/** Version 1 of the API, at the root. */
const query = openEndpoints({ load: async () => import("./protocols.ts"), ...settings }, [
  ["POST /", "respondToQuery", "Call an action of version 1 of the Amazon SES API."],
]);

/** Version 2; path parameters have the names of the members of requests. */
const read = { need: "read" } as const;
const identities = "/v2/email/identities";
const sets = "/v2/email/configuration-sets";
const templates = "/v2/email/templates";
const rest = endpoints({ load: async () => (await import("./protocols.ts")).handlers, ...settings }, [
  ["POST /v2/email/outbound-emails", "SendEmail", "Send a mail through version 2 of the Amazon SES API."],
  ["POST /v2/email/outbound-bulk-emails", "SendBulkEmail", "Send a template to several destinations."],
  ["GET /v2/email/account", "GetAccount", "Fetch the sending quota."],
  [`POST ${identities}`, "CreateEmailIdentity", "Store an identity."],
  [`GET ${identities}`, "ListEmailIdentities", "List identities."],
  ["POST /v2/email/list-identities", "ListEmailIdentities", "List identities.", read],
  [`GET ${identities}/:EmailIdentity`, "GetEmailIdentity", "Fetch an identity."],
  [`DELETE ${identities}/:EmailIdentity`, "DeleteEmailIdentity", "Delete an identity."],
  [`POST ${sets}`, "CreateConfigurationSet", "Store a configuration set."],
  [`GET ${sets}`, "ListConfigurationSets", "List configuration sets."],
  ["POST /v2/email/list-configuration-sets", "ListConfigurationSets", "List configuration sets.", read],
  [`GET ${sets}/:ConfigurationSetName`, "DescribeConfigurationSet", "Fetch a configuration set."],
  [`DELETE ${sets}/:ConfigurationSetName`, "DeleteConfigurationSet", "Delete a configuration set."],
  [`POST ${templates}`, "CreateTemplate", "Store a template."],
  [`GET ${templates}`, "ListTemplates", "List templates."],
  [`GET ${templates}/:TemplateName`, "GetTemplate", "Fetch a template."],
  [`PUT ${templates}/:TemplateName`, "UpdateTemplate", "Replace a template."],
  [`DELETE ${templates}/:TemplateName`, "DeleteTemplate", "Delete a template."],
  [`POST ${templates}/:TemplateName/render`, "TestRenderTemplate", "Render a template.", read],
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
  endpoints: [...query, ...rest],
  readKey: readAccessKey,
  loadEvents: async () => (await import("./event-webhook.ts")).sesEvents,
  ...sesErrors.responses,
  sms: null,
  email: {
    // A mail of 40 MB in base64, and the other members.
    requestBytesMax: 56 * 1024 * 1024,
    recipientCountMax,
    features: ["batch", "attachments", "inline images", "custom headers", "metadata", "stored templates"],
    uuidOf: uuidOfMessageId,
  },
};
