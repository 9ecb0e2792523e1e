import { getUsageLimits } from "../../../operations/get-usage.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";
import { usageLimitsSchema } from "../../wire/usage-schema.ts";

/** `GET /api/usage/limits`: the account's limits and how much of each is used. */
export const getUsageLimitsRoute: KeyRoute = {
  method: "GET",
  path: "/api/usage/limits",
  operationId: "getUsageLimits",
  summary: "Read the account's limits and how much of each is used.",
  access: "account",
  successes: [{ status: 200, description: "The limits.", schema: usageLimitsSchema }],
  problems: [],
  respond: async (call) => jsonResponse(await getUsageLimits(call.context, call.principal)),
};
