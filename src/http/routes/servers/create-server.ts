import { checkServerRequest, createServer } from "../../../operations/servers/create-server.ts";
import { jsonResponse } from "../../http-response.ts";
import { responseText, auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { toWireNewServer } from "../../wire/server-json.ts";
import { newServerSchema, serverRequestSchema } from "../../wire/server-schema.ts";

/**
 * `POST /api/servers`: creates an empty server. Responds with 200, since the official libraries accept no other status.
 */
export const createServerRoute: KeyRoute = {
  method: "POST",
  path: "/api/servers",
  operationId: "createServer",
  summary: "Create a server.",
  access: "account",
  audit: (_call, response) => {
    const server = responseText(response, "id");
    return auditedAct("server.create", { target: server, server });
  },
  body: { schema: serverRequestSchema, required: ["name"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The new server.", schema: newServerSchema }],
  problems: ["invalid_request", "limit_reached", "storage_full"],
  respond: async (call) => {
    const request = decodeBody(serverRequestSchema, call.body, checkServerRequest);
    return jsonResponse(toWireNewServer(await createServer(call.context, call.principal, request)));
  },
};
