/** Endpoints of Amazon SES: version 1 at the root, version 2 below `/v2/email`. Their modules are loaded on first use. */
import { loadOnce } from "../load-once.ts";
import type { ProviderEndpoint } from "../provider.ts";

type Handle = ProviderEndpoint["handle"];

/** Returns a row of the table; `load` returns the handler. */
function endpoint(line: string, summary: string, load: () => Promise<Handle>): ProviderEndpoint {
  const [method, path] = line.split(" ") as [ProviderEndpoint["method"], string];
  const loaded = loadOnce(load);
  const handle: Handle = async (request, services) => (await loaded())(request, services);
  const successes = [{ status: 200, description: "Response of Amazon SES." }];
  return { method, path, summary, successes, handle, ...(method !== "GET" && { body: "mail" }) };
}

const query = async () => import("./query.ts");
const sending = async () => import("./rest-sending.ts");
const templates = async () => import("./rest-templates.ts");
const account = async () => import("./rest-account.ts");

/** Endpoints of both versions of the API. */
export const sesEndpoints: readonly ProviderEndpoint[] = [
  endpoint("POST /", "Call an action of version 1 of the Amazon SES API.", async () => (await query()).respondToQuery),
  endpoint(
    "POST /v2/email/outbound-emails",
    "Send a mail through version 2 of the Amazon SES API.",
    async () => (await sending()).sendEmail,
  ),
  endpoint(
    "POST /v2/email/outbound-bulk-emails",
    "Send a template to several destinations.",
    async () => (await sending()).sendBulkEmail,
  ),
  endpoint("GET /v2/email/account", "Fetch the sending quota.", async () => (await account()).getAccount),
  endpoint("POST /v2/email/identities", "Store an identity.", async () => (await account()).createIdentity),
  endpoint("GET /v2/email/identities", "List identities.", async () => (await account()).listIdentities),
  endpoint("POST /v2/email/list-identities", "List identities.", async () => (await account()).listIdentities),
  endpoint("GET /v2/email/identities/:identity", "Fetch an identity.", async () => (await account()).getIdentity),
  endpoint(
    "DELETE /v2/email/identities/:identity",
    "Delete an identity.",
    async () => (await account()).deleteIdentity,
  ),
  endpoint("POST /v2/email/templates", "Store a template.", async () => (await templates()).createTemplate),
  endpoint("GET /v2/email/templates", "List templates.", async () => (await templates()).listTemplates),
  endpoint("GET /v2/email/templates/:name", "Fetch a template.", async () => (await templates()).getTemplate),
  endpoint("PUT /v2/email/templates/:name", "Replace a template.", async () => (await templates()).updateTemplate),
  endpoint("DELETE /v2/email/templates/:name", "Delete a template.", async () => (await templates()).deleteTemplate),
  endpoint(
    "POST /v2/email/templates/:name/render",
    "Render a template.",
    async () => (await templates()).testRenderTemplate,
  ),
  endpoint(
    "POST /v2/email/configuration-sets",
    "Store a configuration set.",
    async () => (await account()).createConfigurationSet,
  ),
  endpoint(
    "GET /v2/email/configuration-sets",
    "List configuration sets.",
    async () => (await account()).listConfigurationSets,
  ),
  endpoint(
    "POST /v2/email/list-configuration-sets",
    "List configuration sets.",
    async () => (await account()).listConfigurationSets,
  ),
  endpoint(
    "GET /v2/email/configuration-sets/:name",
    "Fetch a configuration set.",
    async () => (await account()).getConfigurationSet,
  ),
  endpoint(
    "DELETE /v2/email/configuration-sets/:name",
    "Delete a configuration set.",
    async () => (await account()).deleteConfigurationSet,
  ),
];
