import { getServerPassword } from "../../../operations/servers/get-server.ts";
import { auditedAct } from "../../audit.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";
import { passwordSchema, type WirePassword } from "../../wire/server-schema.ts";

/** `GET /api/servers/:id/password`: SMTP password of a server. */
export const getServerPasswordRoute: KeyRoute = {
  method: "GET",
  path: "/api/servers/:id/password",
  operationId: "getServerPassword",
  summary: "Retrieve the SMTP password of a server.",
  access: "key",
  audit: (call) => auditedAct("server.read_password", { target: call.id, server: call.id }),
  permission: "manage",
  successes: [{ status: 200, description: "The password.", schema: passwordSchema }],
  problems: ["not_found", "conflict"],
  respond: async (call) => {
    const password: WirePassword = { value: await getServerPassword(call.context, call.principal, call.id) };
    return jsonResponse(password);
  },
};
