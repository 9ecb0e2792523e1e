import type { KeyRoute } from "../../route.ts";
import { getUsageLimits, listTransactions } from "../../../operations/account/account.ts";
import { jsonResponse } from "../../http-response.ts";
import { toWireTransaction, transactionSchema, usageLimitsSchema } from "../../wire/server-schema.ts";
import { listResponse } from "../../lists/page-response.ts";
import { listOf } from "../../../core/schema.ts";

/** `GET /api/usage/transactions`: messages stored on each of the last 31 days. */
const listTransactionsRoute: KeyRoute = {
  method: "GET",
  path: "/api/usage/transactions",
  operationId: "listTransactions",
  summary: "Read the number of messages stored on each of the last 31 days, today first.",
  access: "account",
  successes: [{ status: 200, description: "The days, at least two.", schema: listOf(transactionSchema) }],
  problems: [],
  respond: async (call) => {
    const days = await listTransactions(call.context, call.principal);
    return listResponse(call, days.map(toWireTransaction));
  },
};

/** `GET /api/usage/limits`: limits of the account and their present use. */
const getUsageLimitsRoute: KeyRoute = {
  method: "GET",
  path: "/api/usage/limits",
  operationId: "getUsageLimits",
  summary: "Read the limits of the account and their present use.",
  access: "account",
  successes: [{ status: 200, description: "The limits.", schema: usageLimitsSchema }],
  problems: [],
  respond: async (call) => jsonResponse(await getUsageLimits(call.context, call.principal)),
};

/** Routes below `/api/usage`. */
export const usageRoutes: readonly KeyRoute[] = [getUsageLimitsRoute, listTransactionsRoute];
