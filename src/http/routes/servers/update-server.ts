import { checkServerChange, updateServer } from "../../../operations/servers/update-server.ts";
import { jsonResponse } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { toWireServer } from "../../wire/server-json.ts";
import { serverChangeSchema, serverSchema } from "../../wire/server-schema.ts";

/** `PUT /api/servers/:id`: changes the members that the body names. */
export const updateServerRoute: KeyRoute = {
  method: "PUT",
  path: "/api/servers/:id",
  operationId: "updateServer",
  summary:
    "Change a server's name, users, retention, quota or the effect of deletions by POP3 and IMAP; absent members stay.",
  access: "key",
  audit: (call) =>
    auditedAct("server.update", {
      target: call.id,
      server: call.id,
      details: { fields: Object.keys(decodeBody(serverChangeSchema, call.body)) },
    }),
  body: { schema: serverChangeSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The server as it is now.", schema: serverSchema }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    const change = decodeBody(serverChangeSchema, call.body, checkServerChange);
    return jsonResponse(toWireServer(await updateServer(call.context, call.principal, { id: call.id, change })));
  },
};
