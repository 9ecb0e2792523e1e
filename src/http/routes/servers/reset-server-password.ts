import { resetServerPassword } from "../../../operations/servers/reset-server-password.ts";
import { jsonResponse } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";
import { passwordSchema, type WirePassword } from "../../wire/server-schema.ts";

/** `POST /api/servers/:id/password`: replaces the SMTP password of a server. */
export const resetServerPasswordRoute: KeyRoute = {
  method: "POST",
  path: "/api/servers/:id/password",
  operationId: "resetServerPassword",
  audit: (call) => auditedAct("server.reset_password", { target: call.id, server: call.id }),
  summary: "Replace the SMTP password of a server by a random one.",
  access: "key",
  permission: "manage",
  successes: [{ status: 200, description: "The new password; the old one is invalid.", schema: passwordSchema }],
  problems: ["not_found", "storage_full"],
  respond: async (call) => {
    const password: WirePassword = { value: await resetServerPassword(call.context, call.principal, call.id) };
    return jsonResponse(password);
  },
};
