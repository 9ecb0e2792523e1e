import { listEmailClients } from "../../../operations/list-email-clients.ts";
import { listResponse } from "../../lists/page-response.ts";
import type { KeyRoute } from "../../route.ts";
import { emailClientSchema, formerClientSchema, toFormerClients, toWireClients } from "../../wire/preview-schema.ts";
import { listOf } from "../../wire/schema.ts";

/** `GET /api/screenshots/clients`: the mail programs that previews are made for. */
export const listEmailClientsRoute: KeyRoute = {
  method: "GET",
  path: "/api/screenshots/clients",
  operationId: "listEmailClients",
  summary: "List the mail programs that previews are made for, and what of each is emulated.",
  access: "key",
  successes: [{ status: 200, description: "The programs.", schema: listOf(emailClientSchema) }],
  problems: [],
  respond: async (call) => listResponse(call, toWireClients(await listEmailClients(call.context))),
};

/** `GET /api/previews/clients`: the same for libraries from before 2026. */
export const listFormerClientsRoute: KeyRoute = {
  method: "GET",
  path: "/api/previews/clients",
  operationId: "listFormerEmailClients",
  summary: "List the mail programs in the shape that libraries before 2026 read.",
  access: "key",
  successes: [{ status: 200, description: "The programs.", schema: listOf(formerClientSchema) }],
  problems: [],
  respond: async (call) => listResponse(call, toFormerClients(await listEmailClients(call.context))),
};
