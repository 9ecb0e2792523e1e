import { getUsageLimits } from "../../../operations/account/get-usage.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";
import { usageLimitsSchema } from "../../wire/usage-schema.ts";

/** `GET /api/usage/limits`: limits of the account and their present use. */
export const getUsageLimitsRoute: KeyRoute = {
  method: "GET",
  path: "/api/usage/limits",
  operationId: "getUsageLimits",
  summary: "Read the limits of the account and their present use.",
  access: "account",
  successes: [{ status: 200, description: "The limits.", schema: usageLimitsSchema }],
  problems: [],
  respond: async (call) => jsonResponse(await getUsageLimits(call.context, call.principal)),
};
