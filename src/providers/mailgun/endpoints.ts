import { loadOnce } from "../load-once.ts";
import type { ProviderEndpoint, ProviderMethod } from "../provider.ts";

type Handle = ProviderEndpoint["handle"];

/** Returns a row whose handler is in a module that is imported on the first request. */
function endpoint(line: `${ProviderMethod} ${string}`, summary: string, load: () => Promise<Handle>): ProviderEndpoint {
  const [method, path] = line.split(" ") as [ProviderMethod, string];
  const loaded = loadOnce(load);
  return {
    method,
    path,
    summary,
    // Small forms may be multipart, too, which only endpoints of mail read.
    body: method === "GET" ? "small" : "mail",
    successes: [{ status: 200, description: "Mailgun's response." }],
    handle: async (request, services) => (await loaded())(request, services),
  };
}

const oneTemplate = "/v3/:domain/templates/:name";
const oneVersion = `${oneTemplate}/versions/:tag`;

/** Endpoints of Mailgun's API. */
export const mailgunEndpoints: readonly ProviderEndpoint[] = [
  endpoint("POST /v3/:domain/messages", "Send a message.", async () => (await import("./messages.ts")).sendMessage),
  endpoint(
    "POST /v3/:domain/messages.mime",
    "Send a whole mail.",
    async () => (await import("./messages.ts")).sendMime,
  ),
  endpoint(
    "GET /v3/domains/:domain/messages/:key",
    "Read a stored message.",
    async () => (await import("./messages.ts")).getStored,
  ),
  endpoint(
    "POST /v3/domains/:domain/messages/:key",
    "Send a stored message to other recipients.",
    async () => (await import("./messages.ts")).resend,
  ),
  endpoint("GET /v3/:domain/events", "List events.", async () => (await import("./events.ts")).listEvents),
  endpoint(
    "GET /v3/:domain/events/:page",
    "List a page of events.",
    async () => (await import("./events.ts")).listEvents,
  ),
  endpoint("GET /v3/domains", "List domains.", async () => (await import("./domains.ts")).listDomains),
  endpoint("GET /v4/domains", "List domains.", async () => (await import("./domains.ts")).listDomains),
  endpoint("GET /v3/domains/:domain", "Read a domain.", async () => (await import("./domains.ts")).getDomain),
  endpoint("GET /v4/domains/:domain", "Read a domain.", async () => (await import("./domains.ts")).getDomain),
  endpoint(
    "POST /v3/:domain/templates",
    "Create a template.",
    async () => (await import("./template-endpoints.ts")).createTemplate,
  ),
  endpoint(
    "GET /v3/:domain/templates",
    "List templates.",
    async () => (await import("./template-endpoints.ts")).listTemplates,
  ),
  endpoint(
    "DELETE /v3/:domain/templates",
    "Delete all templates.",
    async () => (await import("./template-endpoints.ts")).deleteTemplates,
  ),
  endpoint(`GET ${oneTemplate}`, "Read a template.", async () => (await import("./template-endpoints.ts")).getTemplate),
  endpoint(
    `PUT ${oneTemplate}`,
    "Change a template.",
    async () => (await import("./template-endpoints.ts")).updateTemplate,
  ),
  endpoint(
    `DELETE ${oneTemplate}`,
    "Delete a template.",
    async () => (await import("./template-endpoints.ts")).deleteTemplate,
  ),
  endpoint(
    `POST ${oneTemplate}/versions`,
    "Create a version of a template.",
    async () => (await import("./template-endpoints.ts")).createVersion,
  ),
  endpoint(
    `GET ${oneTemplate}/versions`,
    "List the versions of a template.",
    async () => (await import("./template-endpoints.ts")).listVersions,
  ),
  endpoint(
    `GET ${oneVersion}`,
    "Read a version of a template.",
    async () => (await import("./template-endpoints.ts")).getVersion,
  ),
  endpoint(
    `PUT ${oneVersion}`,
    "Change a version of a template.",
    async () => (await import("./template-endpoints.ts")).updateVersion,
  ),
  endpoint(
    `DELETE ${oneVersion}`,
    "Delete a version of a template.",
    async () => (await import("./template-endpoints.ts")).deleteVersion,
  ),
];
