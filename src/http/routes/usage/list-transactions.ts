import { listTransactions } from "../../../operations/account/get-usage.ts";
import type { KeyRoute } from "../../route.ts";
import { listResponse } from "../../lists/page-response.ts";
import { listOf } from "../../wire/schema.ts";
import { toWireTransaction, transactionSchema } from "../../wire/usage-schema.ts";

/** `GET /api/usage/transactions`: messages stored on each of the last 31 days. */
export const listTransactionsRoute: KeyRoute = {
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
