/** Endpoints of Brevo's API: transactional mail, its templates, and SMS. */
import { loadOnce } from "../load-once.ts";
import { jsonResponse, type ProviderEndpoint } from "../provider.ts";

const send = loadOnce(async () => import("./send.ts"));

const mail = "/v3/smtp/email";
const template = "/v3/smtp/templates/:id";
const removed = { status: 204, description: "Done." } as const;

const mailEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: mail,
    body: "mail",
    summary: "Send mail through the Brevo-compatible API.",
    successes: [
      { status: 201, description: "The id of the mail, or those of its versions." },
      { status: 202, description: "The mail is scheduled." },
    ],
    handle: async (request, services) => (await send()).sendMail(request, services),
  },
  {
    method: "DELETE",
    path: `${mail}/:id`,
    summary: "Cancel a scheduled mail or a batch, as Brevo does.",
    successes: [removed],
    handle: async (request, services) => (await import("./schedule.ts")).cancelMail(request, services),
  },
  {
    method: "GET",
    path: "/v3/smtp/emailStatus/:id",
    summary: "Return the status of a scheduled mail or a batch in Brevo's format.",
    successes: [],
    handle: async (request, services) => (await import("./schedule.ts")).getStatus(request, services),
  },
  {
    method: "GET",
    path: "/v3/smtp/emails",
    summary: "List mail in Brevo's format.",
    successes: [],
    handle: async (request, services) => (await import("./emails.ts")).listMails(request, services),
  },
  {
    method: "GET",
    path: "/v3/smtp/emails/:id",
    summary: "Return a mail in Brevo's format.",
    successes: [],
    handle: async (request, services) => (await import("./emails.ts")).getMail(request, services),
  },
  {
    method: "GET",
    path: "/v3/smtp/statistics/events",
    summary: "List the events of mail in Brevo's format.",
    successes: [],
    handle: async (request, services) => (await import("./emails.ts")).listEvents(request, services),
  },
];

const templateEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: "/v3/smtp/templates",
    body: "mail",
    summary: "Create a template in Brevo's format.",
    successes: [{ status: 201, description: "The id of the template." }],
    handle: async (request, services) => (await import("./templates.ts")).createTemplate(request, services),
  },
  {
    method: "GET",
    path: "/v3/smtp/templates",
    summary: "List templates in Brevo's format.",
    successes: [],
    handle: async (request, services) => (await import("./templates.ts")).listTemplates(request, services),
  },
  {
    method: "GET",
    path: template,
    summary: "Return a template in Brevo's format.",
    successes: [],
    handle: async (request, services) => (await import("./templates.ts")).getTemplate(request, services),
  },
  {
    method: "PUT",
    path: template,
    body: "mail",
    summary: "Change a template, as Brevo does.",
    successes: [removed],
    handle: async (request, services) => (await import("./templates.ts")).updateTemplate(request, services),
  },
  {
    method: "DELETE",
    path: template,
    summary: "Remove a template, as Brevo does.",
    successes: [removed],
    handle: async (request, services) => (await import("./templates.ts")).deleteTemplate(request, services),
  },
];

const smsEndpoints: readonly ProviderEndpoint[] = ["sms", "send"].map((last) => ({
  method: "POST",
  path: `/v3/transactionalSMS/${last}`,
  summary: "Send an SMS through the Brevo-compatible API.",
  successes: [{ status: 201, description: "The id of the SMS." }],
  handle: async (request, services) => (await import("./sms.ts")).sendSms(request, services),
}));

const accountEndpoint: ProviderEndpoint = {
  method: "GET",
  path: "/v3/account",
  summary: "Return an account in Brevo's format.",
  successes: [],
  handle: async (request, services) => {
    await services.authenticate(request.key, "read");
    const plan = [{ type: "free", creditsType: "sendLimit", credits: 300 }];
    const relay = { enabled: true, data: { userName: "", relay: "127.0.0.1", port: 1025 } };
    return jsonResponse(200, {
      email: "account@restante.example.com",
      firstName: "",
      lastName: "",
      companyName: "",
      address: { street: "", city: "", zipCode: "", country: "" },
      plan,
      relay,
    });
  },
};

/** Endpoints of Brevo's API. */
export const brevoEndpoints: readonly ProviderEndpoint[] = [
  ...mailEndpoints,
  ...templateEndpoints,
  ...smsEndpoints,
  accountEndpoint,
];
