import { listServers } from "../../../operations/servers/list-servers.ts";
import type { KeyRoute } from "../../route.ts";
import { listResponse } from "../../lists/page-response.ts";
import { listOf } from "../../wire/schema.ts";
import { toWireServer } from "../../wire/server-json.ts";
import { serverSchema } from "../../wire/server-schema.ts";

/** `GET /api/servers`: the servers that the key has access to, by name. */
export const listServersRoute: KeyRoute = {
  method: "GET",
  path: "/api/servers",
  operationId: "listServers",
  summary: "List the servers that the key has access to, by name.",
  access: "key",
  successes: [{ status: 200, description: "The servers.", schema: listOf(serverSchema) }],
  problems: [],
  respond: async (call) => listResponse(call, (await listServers(call.context, call.principal)).map(toWireServer)),
};
