/** Endpoints of Resend's API: emails, batches and templates. */
import { loadOnce } from "../load-once.ts";
import type { ProviderEndpoint } from "../provider.ts";

const send = loadOnce(async () => import("./send.ts"));

const email = "/emails/:id";
const template = "/templates/:id";

const emailEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: "/emails",
    body: "mail",
    summary: "Send a mail through the Resend-compatible API.",
    successes: [{ status: 200, description: "The id of the mail." }],
    handle: async (request, services) => (await send()).sendEmail(request, services),
  },
  {
    method: "POST",
    path: "/emails/batch",
    body: "mail",
    summary: "Send up to 100 mails through the Resend-compatible API.",
    successes: [{ status: 200, description: "The ids of the mails and, with permissive validation, the errors." }],
    handle: async (request, services) => (await send()).sendBatch(request, services),
  },
  {
    method: "GET",
    path: "/emails",
    summary: "List mails in Resend's format.",
    successes: [],
    handle: async (request, services) => (await import("./emails.ts")).listEmails(request, services),
  },
  {
    method: "GET",
    path: email,
    summary: "Return a mail in Resend's format.",
    successes: [],
    handle: async (request, services) => (await import("./emails.ts")).getEmail(request, services),
  },
  {
    method: "PATCH",
    path: email,
    summary: "Change the time of a scheduled mail, as Resend does.",
    successes: [],
    handle: async (request, services) => (await import("./emails.ts")).updateEmail(request, services),
  },
  {
    method: "POST",
    path: `${email}/cancel`,
    summary: "Cancel a scheduled mail, as Resend does.",
    successes: [{ status: 200, description: "The id of the mail." }],
    handle: async (request, services) => (await import("./emails.ts")).cancelEmail(request, services),
  },
];

const templateEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: "/templates",
    body: "mail",
    summary: "Create a template in Resend's format.",
    successes: [{ status: 200, description: "The id of the template." }],
    handle: async (request, services) => (await import("./templates.ts")).createTemplate(request, services),
  },
  {
    method: "GET",
    path: "/templates",
    summary: "List templates in Resend's format.",
    successes: [],
    handle: async (request, services) => (await import("./templates.ts")).listTemplates(request, services),
  },
  {
    method: "GET",
    path: template,
    summary: "Return a template in Resend's format.",
    successes: [],
    handle: async (request, services) => (await import("./templates.ts")).getTemplate(request, services),
  },
  {
    method: "PATCH",
    path: template,
    body: "mail",
    summary: "Change a template, as Resend does.",
    successes: [],
    handle: async (request, services) => (await import("./templates.ts")).updateTemplate(request, services),
  },
  {
    method: "DELETE",
    path: template,
    summary: "Remove a template, as Resend does.",
    successes: [],
    handle: async (request, services) => (await import("./templates.ts")).deleteTemplate(request, services),
  },
  {
    method: "POST",
    path: `${template}/publish`,
    summary: "Publish a template, as Resend does.",
    successes: [{ status: 200, description: "The id of the template." }],
    handle: async (request, services) => (await import("./templates.ts")).publishTemplate(request, services),
  },
  {
    method: "POST",
    path: `${template}/duplicate`,
    summary: "Copy a template, as Resend does.",
    successes: [{ status: 200, description: "The id of the copy." }],
    handle: async (request, services) => (await import("./templates.ts")).duplicateTemplate(request, services),
  },
];

/** Endpoints of Resend's API. */
export const resendEndpoints: readonly ProviderEndpoint[] = [...emailEndpoints, ...templateEndpoints];
