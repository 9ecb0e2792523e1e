/** Endpoints of Postmark's API with server tokens. */
import { loadOnce } from "../load-once.ts";
import type { ProviderEndpoint } from "../provider.ts";
import { accountEndpoints } from "./account.ts";

const send = loadOnce(async () => import("./send.ts"));

const emailEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: "/email",
    body: "mail",
    summary: "Send a mail through the Postmark-compatible API.",
    successes: [{ status: 200, description: "The message id." }],
    handle: async (request, services) => (await send()).sendEmail(request, services),
  },
  {
    method: "POST",
    path: "/email/batch",
    body: "mail",
    summary: "Send up to 500 mails through the Postmark-compatible API.",
    successes: [{ status: 200, description: "The message id or the error of each mail, in order." }],
    handle: async (request, services) => (await send()).sendBatch(request, services),
  },
  {
    method: "POST",
    path: "/email/withTemplate",
    body: "mail",
    summary: "Send a mail with a template through the Postmark-compatible API.",
    successes: [{ status: 200, description: "The message id." }],
    handle: async (request, services) => (await send()).sendWithTemplate(request, services),
  },
  {
    method: "POST",
    path: "/email/batchWithTemplates",
    body: "mail",
    summary: "Send up to 500 mails with templates through the Postmark-compatible API.",
    successes: [{ status: 200, description: "The message id or the error of each mail, in order." }],
    handle: async (request, services) => (await send()).sendBatchWithTemplates(request, services),
  },
];

const templateEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: "/templates",
    body: "mail",
    summary: "Create a template in Postmark's format.",
    successes: [{ status: 200, description: "The id of the template." }],
    handle: async (request, services) => (await import("./template-endpoints.ts")).postTemplate(request, services),
  },
  {
    method: "GET",
    path: "/templates",
    summary: "List templates in Postmark's format.",
    successes: [],
    handle: async (request, services) => (await import("./template-endpoints.ts")).getTemplates(request, services),
  },
  {
    method: "POST",
    path: "/templates/validate",
    body: "mail",
    summary: "Render a template with a model, as Postmark does.",
    successes: [{ status: 200, description: "The rendered parts and their errors." }],
    handle: async (request, services) => (await import("./validate.ts")).validateTemplate(request, services),
  },
  {
    method: "GET",
    path: "/templates/:id",
    summary: "Return a template, by id or alias, in Postmark's format.",
    successes: [],
    handle: async (request, services) => (await import("./template-endpoints.ts")).getTemplate(request, services),
  },
  {
    method: "PUT",
    path: "/templates/:id",
    body: "mail",
    summary: "Change a template, as Postmark does.",
    successes: [],
    handle: async (request, services) => (await import("./template-endpoints.ts")).editTemplate(request, services),
  },
  {
    method: "DELETE",
    path: "/templates/:id",
    summary: "Remove a template, as Postmark does.",
    successes: [{ status: 200, description: "The template is removed." }],
    handle: async (request, services) => (await import("./template-endpoints.ts")).deleteTemplate(request, services),
  },
];

const messageEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "GET",
    path: "/messages/outbound",
    summary: "Search sent mail in Postmark's format.",
    successes: [],
    handle: async (request, services) => (await import("./messages.ts")).getMessages(request, services),
  },
  {
    method: "GET",
    path: "/messages/outbound/:id/details",
    summary: "Return a sent mail in Postmark's format.",
    successes: [],
    handle: async (request, services) => (await import("./messages.ts")).getDetails(request, services),
  },
  {
    method: "GET",
    path: "/messages/outbound/:id/dump",
    summary: "Return the source of a sent mail in Postmark's format.",
    successes: [],
    handle: async (request, services) => (await import("./messages.ts")).getDump(request, services),
  },
];

const suppressionEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "GET",
    path: "/message-streams/:id/suppressions/dump",
    summary: "List the suppressed addresses of a stream in Postmark's format.",
    successes: [],
    handle: async (request, services) => (await import("./suppressions.ts")).listSuppressions(request, services),
  },
  {
    method: "POST",
    path: "/message-streams/:id/suppressions",
    summary: "Suppress addresses of a stream, as Postmark does.",
    successes: [{ status: 200, description: "The status of each address." }],
    handle: async (request, services) => (await import("./suppressions.ts")).createSuppressions(request, services),
  },
  {
    method: "POST",
    path: "/message-streams/:id/suppressions/delete",
    summary: "Delete suppressions of a stream, as Postmark does.",
    successes: [{ status: 200, description: "The status of each address." }],
    handle: async (request, services) => (await import("./suppressions.ts")).deleteSuppressions(request, services),
  },
];

/** Endpoints of the API. */
export const postmarkEndpoints: readonly ProviderEndpoint[] = [
  ...emailEndpoints,
  ...templateEndpoints,
  ...messageEndpoints,
  ...suppressionEndpoints,
  ...accountEndpoints,
];
