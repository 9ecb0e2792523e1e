import { getServer } from "../../../operations/servers/get-server.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";
import { toWireServer } from "../../wire/server-json.ts";
import { serverSchema } from "../../wire/server-schema.ts";

/** `GET /api/servers/:id`: a server. */
export const getServerRoute: KeyRoute = {
  method: "GET",
  path: "/api/servers/:id",
  operationId: "getServer",
  summary: "Retrieve a server.",
  access: "key",
  successes: [{ status: 200, description: "The server.", schema: serverSchema }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(toWireServer(await getServer(call.context, call.principal, call.id))),
};
