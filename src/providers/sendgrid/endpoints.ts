/** Endpoints of SendGrid's Web API v3 that applications send mail with. */
import { loadOnce } from "../load-once.ts";
import { jsonResponse, type ProviderEndpoint } from "../provider.ts";

const send = loadOnce(async () => import("./send.ts"));

const accepted = [
  { status: 202, description: "The mail is stored or scheduled; `X-Message-Id` identifies it." },
  { status: 200, description: "The mail is valid (sandbox mode)." },
] as const;
const batch = "/v3/user/scheduled_sends";
const template = "/v3/templates/:id";
const version = `${template}/versions/:version`;

/** Scopes of every key: those that the endpoints here need. */
const scopes = [
  "mail.send",
  "mail.batch.create",
  "mail.batch.read",
  ...["create", "read", "update", "delete"].map((one) => `user.scheduled_sends.${one}`),
  ...["create", "read", "update", "delete"].map((one) => `templates.${one}`),
  ...["create", "read", "update", "delete"].map((one) => `templates.versions.${one}`),
  "templates.versions.activate.create",
];

const mailEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: "/v3/mail/send",
    body: "mail",
    summary: "Send mail through the SendGrid-compatible API.",
    successes: accepted,
    handle: async (request, services) => (await send()).sendMail(request, services),
  },
  {
    method: "POST",
    path: "/v3/mail/batch",
    summary: "Create a batch id for scheduled mail, as SendGrid does.",
    successes: [{ status: 201, description: "The batch id." }],
    handle: async (request, services) => (await import("./batch-endpoints.ts")).postBatch(request, services),
  },
  {
    method: "GET",
    path: "/v3/mail/batch/:id",
    summary: "Validate a batch id, as SendGrid does.",
    successes: [],
    handle: async (request, services) => (await import("./batch-endpoints.ts")).getBatch(request, services),
  },
  {
    method: "GET",
    path: "/v3/scopes",
    summary: "List the scopes of a key in SendGrid's format.",
    successes: [],
    handle: async (request, services) => {
      await services.authenticate(request.key, "read");
      return jsonResponse(200, { scopes });
    },
  },
];

const scheduledEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: batch,
    summary: "Pause or cancel a batch of scheduled mail, as SendGrid does.",
    successes: [{ status: 201, description: "The status of the batch." }],
    handle: async (request, services) => (await import("./batch-endpoints.ts")).postStatus(request, services),
  },
  {
    method: "GET",
    path: batch,
    summary: "List paused and cancelled batches, as SendGrid does.",
    successes: [],
    handle: async (request, services) => (await import("./batch-endpoints.ts")).getStatuses(request, services),
  },
  {
    method: "GET",
    path: `${batch}/:id`,
    summary: "Return the status of a batch, as SendGrid does.",
    successes: [],
    handle: async (request, services) => (await import("./batch-endpoints.ts")).getStatus(request, services),
  },
  {
    method: "PATCH",
    path: `${batch}/:id`,
    summary: "Change the status of a batch, as SendGrid does.",
    successes: [{ status: 204, description: "The status is changed." }],
    handle: async (request, services) => (await import("./batch-endpoints.ts")).patchStatus(request, services),
  },
  {
    method: "DELETE",
    path: `${batch}/:id`,
    summary: "Resume a batch, as SendGrid does.",
    successes: [{ status: 204, description: "The batch is sent as scheduled." }],
    handle: async (request, services) => (await import("./batch-endpoints.ts")).deleteStatus(request, services),
  },
];

const templateEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: "/v3/templates",
    summary: "Create a template in SendGrid's format.",
    successes: [{ status: 201, description: "The template." }],
    handle: async (request, services) => (await import("./template-endpoints.ts")).postTemplate(request, services),
  },
  {
    method: "GET",
    path: "/v3/templates",
    summary: "List templates in SendGrid's format.",
    successes: [],
    handle: async (request, services) => (await import("./template-endpoints.ts")).getTemplates(request, services),
  },
  {
    method: "GET",
    path: template,
    summary: "Return a template in SendGrid's format.",
    successes: [],
    handle: async (request, services) => (await import("./template-endpoints.ts")).getTemplate(request, services),
  },
  {
    method: "POST",
    path: template,
    summary: "Copy a template, as SendGrid does.",
    successes: [{ status: 201, description: "The new template." }],
    handle: async (request, services) => (await import("./template-endpoints.ts")).copyTemplate(request, services),
  },
  {
    method: "PATCH",
    path: template,
    summary: "Rename a template, as SendGrid does.",
    successes: [],
    handle: async (request, services) => (await import("./template-endpoints.ts")).patchTemplate(request, services),
  },
  {
    method: "DELETE",
    path: template,
    summary: "Remove a template, as SendGrid does.",
    successes: [{ status: 204, description: "The template is removed." }],
    handle: async (request, services) => (await import("./template-endpoints.ts")).deleteTemplate(request, services),
  },
];

const versionEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: `${template}/versions`,
    body: "mail",
    summary: "Create a version of a template in SendGrid's format.",
    successes: [{ status: 201, description: "The version." }],
    handle: async (request, services) => (await import("./version-endpoints.ts")).postVersion(request, services),
  },
  {
    method: "GET",
    path: version,
    summary: "Return a version of a template in SendGrid's format.",
    successes: [],
    handle: async (request, services) => (await import("./version-endpoints.ts")).getVersion(request, services),
  },
  {
    method: "PATCH",
    path: version,
    body: "mail",
    summary: "Change a version of a template, as SendGrid does.",
    successes: [],
    handle: async (request, services) => (await import("./version-endpoints.ts")).patchVersion(request, services),
  },
  {
    method: "DELETE",
    path: version,
    summary: "Remove a version of a template, as SendGrid does.",
    successes: [{ status: 204, description: "The version is removed." }],
    handle: async (request, services) => (await import("./version-endpoints.ts")).deleteVersion(request, services),
  },
  {
    method: "POST",
    path: `${version}/activate`,
    summary: "Activate a version of a template, as SendGrid does.",
    successes: [],
    handle: async (request, services) => (await import("./version-endpoints.ts")).activate(request, services),
  },
];

/** Endpoints of the Web API v3. */
export const sendGridEndpoints: readonly ProviderEndpoint[] = [
  ...mailEndpoints,
  ...scheduledEndpoints,
  ...templateEndpoints,
  ...versionEndpoints,
];
