import { requireAccount } from "../../../operations/services/security/access.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";
import { statusSchema, toWireStatus } from "../../wire/status-schema.ts";

/** `GET /api/status`: state of every background task. */
export const getStatusRoute: KeyRoute = {
  method: "GET",
  path: "/api/status",
  operationId: "getStatus",
  summary: "Read the state of every background task.",
  access: "account",
  successes: [{ status: 200, description: "The state.", schema: statusSchema }],
  problems: [],
  respond: (call) => {
    requireAccount(call.principal);
    return jsonResponse(toWireStatus(call.service.taskStates()));
  },
};
