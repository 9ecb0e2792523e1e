import { getUsageLimits } from "../../../operations/get-usage.ts";
import { jsonAnswer } from "../../answer.ts";
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
  answer: async (call) => jsonAnswer(await getUsageLimits(call.context, call.principal)),
};
