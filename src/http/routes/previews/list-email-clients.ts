import { listEmailClients } from "../../../operations/previews/list-email-clients.ts";
import { listResponse } from "../../lists/page-response.ts";
import type { KeyRoute } from "../../route.ts";
import { emailClientSchema, formerClientSchema, toFormerClients, toWireClients } from "../../wire/preview-schema.ts";
import { listOf } from "../../wire/schema.ts";

/** `GET /api/screenshots/clients`: email clients that previews emulate. */
export const listEmailClientsRoute: KeyRoute = {
  method: "GET",
  path: "/api/screenshots/clients",
  operationId: "listEmailClients",
  summary: "List the email clients of previews, and the emulated features of each.",
  access: "key",
  successes: [{ status: 200, description: "The email clients.", schema: listOf(emailClientSchema) }],
  problems: [],
  respond: async (call) => listResponse(call, toWireClients(await listEmailClients(call.context))),
};

/** `GET /api/previews/clients`: the same for libraries before 2026. */
export const listFormerClientsRoute: KeyRoute = {
  method: "GET",
  path: "/api/previews/clients",
  operationId: "listFormerEmailClients",
  summary: "List the email clients in the form of libraries before 2026.",
  access: "key",
  successes: [{ status: 200, description: "The email clients.", schema: listOf(formerClientSchema) }],
  problems: [],
  respond: async (call) => listResponse(call, toFormerClients(await listEmailClients(call.context))),
};
