import { loadOnce } from "../load-once.ts";
import type { ProviderEndpoint, ProviderMethod } from "../provider.ts";

type Handle = ProviderEndpoint["handle"];

/** Returns a row whose handler is in a module that is imported on the first request. */
function endpoint(line: `${ProviderMethod} ${string}`, summary: string, load: () => Promise<Handle>): ProviderEndpoint {
  const [method, path] = line.split(" ") as [ProviderMethod, string];
  const loaded = loadOnce(load);
  const status = method === "DELETE" ? 204 : line.startsWith("POST /v3/REST/") ? 201 : 200;
  return {
    method,
    path,
    summary,
    body: method === "POST" || method === "PUT" ? "mail" : "small",
    successes: [{ status, description: "Mailjet's response." }],
    handle: async (request, services) => (await loaded())(request, services),
  };
}

const template = "/v3/REST/template";

/** Endpoints of Mailjet's APIs. */
export const mailjetEndpoints: readonly ProviderEndpoint[] = [
  endpoint("POST /v3.1/send", "Send messages (Send API v3.1).", async () => (await import("./send.ts")).sendV31),
  endpoint("POST /v3/send", "Send messages (Send API v3).", async () => (await import("./send.ts")).sendV3),
  endpoint("POST /v3/send/message", "Send messages (Send API v3).", async () => (await import("./send.ts")).sendV3),
  endpoint("GET /v3/REST/message", "List messages.", async () => (await import("./messages.ts")).listMessages),
  endpoint("GET /v3/REST/message/:id", "Read a message.", async () => (await import("./messages.ts")).getMessage),
  endpoint(
    "GET /v3/REST/messagehistory/:id",
    "Read the history of a message.",
    async () => (await import("./messages.ts")).getHistory,
  ),
  endpoint(`GET ${template}`, "List templates.", async () => (await import("./template-endpoints.ts")).listTemplates),
  endpoint(
    `POST ${template}`,
    "Create a template.",
    async () => (await import("./template-endpoints.ts")).createTemplate,
  ),
  endpoint(
    `GET ${template}/:id`,
    "Read a template.",
    async () => (await import("./template-endpoints.ts")).getTemplate,
  ),
  endpoint(
    `PUT ${template}/:id`,
    "Change a template.",
    async () => (await import("./template-endpoints.ts")).updateTemplate,
  ),
  endpoint(
    `DELETE ${template}/:id`,
    "Delete a template.",
    async () => (await import("./template-endpoints.ts")).deleteTemplate,
  ),
  endpoint(
    `GET ${template}/:id/detailcontent`,
    "Read the content of a template.",
    async () => (await import("./template-endpoints.ts")).getContent,
  ),
  endpoint(
    `POST ${template}/:id/detailcontent`,
    "Replace the content of a template.",
    async () => (await import("./template-endpoints.ts")).createContent,
  ),
  endpoint(
    `PUT ${template}/:id/detailcontent`,
    "Change the content of a template.",
    async () => (await import("./template-endpoints.ts")).updateContent,
  ),
];
