import { accountRoute } from "../rows.ts";
import type { KeyRoute } from "../../route.ts";
import { getUsageLimits, listTransactions } from "../../../operations/account/account.ts";
import { toWireTransaction, transactionSchema, usageLimitsSchema } from "../../wire/server-schema.ts";
import { listOf } from "../../../core/schema.ts";

/** Routes below `/api/usage`. */
export const usageRoutes: readonly KeyRoute[] = [
  accountRoute("getUsageLimits", "GET /api/usage/limits", {
    summary: "Read the limits of the account and their present use.",
    returns: ["The limits.", usageLimitsSchema],
    run: async ({ context, principal }) => getUsageLimits(context, principal),
  }),
  accountRoute("listTransactions", "GET /api/usage/transactions", {
    summary: "Read the number of messages stored on each of the last 31 days, today first.",
    returns: ["The days, at least two.", listOf(transactionSchema)],
    run: async ({ context, principal }) => (await listTransactions(context, principal)).map(toWireTransaction),
  }),
];
