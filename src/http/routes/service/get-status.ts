import { requireAccount } from "../../../operations/access.ts";
import { jsonAnswer } from "../../answer.ts";
import type { KeyRoute } from "../../route.ts";
import { statusSchema, toWireStatus } from "../../wire/status-schema.ts";

/** `GET /api/status`: the state of every background task. */
export const getStatusRoute: KeyRoute = {
  method: "GET",
  path: "/api/status",
  operationId: "getStatus",
  summary: "Read the state of every background task.",
  access: "account",
  successes: [{ status: 200, description: "The state.", schema: statusSchema }],
  problems: [],
  answer: (call) => {
    requireAccount(call.principal);
    return jsonAnswer(toWireStatus(call.service.taskStates()));
  },
};
