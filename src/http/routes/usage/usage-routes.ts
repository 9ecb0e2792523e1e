import { type CsvCell, csvType, encodeCsv } from "../../../core/csv.ts";
import { invalidField } from "../../../core/errors.ts";
import { build, listOf } from "../../../core/schema.ts";
import { getUsageLimits, listTransactions, usageLimitsSchema } from "../../../operations/account/account.ts";
import {
  listServerUsage,
  listTeamUsage,
  monthOfRequest,
  serverUsageSchema,
  teamUsageSchema,
  type ServerUsageReport,
  type TeamUsage,
} from "../../../operations/servers/usage-reports.ts";
import { attachmentDisposition } from "../../files/file-response.ts";
import { type HttpResponse, textResponse } from "../../http-response.ts";
import type { KeyCall, KeyRoute, QueryParameter, Success } from "../../route.ts";
import { toWireTransaction, transactionSchema } from "../../wire/server-schema.ts";
import { accountRoute } from "../rows.ts";

const monthParameter: QueryParameter = {
  name: "month",
  description: "Month (UTC), such as `2026-11`; the current one by default.",
  schema: build.string({ pattern: "^\\d{4}-\\d{2}$" }),
};
const idleDaysMax = 36_500;
const idleParameter: QueryParameter = {
  name: "idleDays",
  description: "Only servers without traffic for this many days, those that are idle longest first.",
  schema: build.integer({ minimum: 0, maximum: idleDaysMax }),
};
const csvSuccess: Success = {
  status: 200,
  description: "CSV (RFC 4180) with a header line. Texts that a spreadsheet would evaluate begin with an apostrophe.",
  contentType: csvType,
  schema: build.string(),
};

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
  accountRoute("listTeamUsage", "GET /api/usage/teams", {
    summary: "Read the usage of each team in a month; managers read that of their teams.",
    query: [monthParameter],
    returns: ["The teams, by name, and at the end the servers without a team.", listOf(teamUsageSchema)],
    run: teamUsageOf,
  }),
  accountRoute("downloadTeamUsage", "GET /api/usage/teams.csv", {
    summary: "Download the usage of each team in a month as CSV.",
    query: [monthParameter],
    returns: [csvSuccess],
    respond: async (call) => csvResponse(call, "teams", { names: teamColumns, rows: await teamUsageOf(call) }),
  }),
  accountRoute("listServerUsage", "GET /api/usage/servers", {
    summary:
      "Read the usage of each server in a month, its owners and its last traffic; managers read that of their teams.",
    query: [monthParameter, idleParameter],
    returns: ["The servers, by name.", listOf(serverUsageSchema)],
    run: serverUsageOf,
  }),
  accountRoute("downloadServerUsage", "GET /api/usage/servers.csv", {
    summary: "Download the usage of each server in a month, its owners and its last traffic as CSV.",
    query: [monthParameter, idleParameter],
    returns: [csvSuccess],
    respond: async (call) => csvResponse(call, "servers", { names: serverColumns, rows: await serverUsageOf(call) }),
  }),
];

const countColumns = ["email", "sms", "bytes", "outbound"] as const;
const teamColumns = ["team", "name", ...countColumns, "servers", "messages", "storedBytes"] as const;
const serverColumns = [
  "server",
  "name",
  "team",
  "teamName",
  "managers",
  ...countColumns,
  "messages",
  "storedBytes",
  "lastTrafficAt",
  "idleDays",
  "isProtected",
  "isKept",
  "removedAt",
] as const;

async function teamUsageOf({ context, principal, query }: KeyCall): Promise<readonly TeamUsage[]> {
  return await listTeamUsage(context, principal, monthOfRequest(context, query.get("month")));
}

async function serverUsageOf({ context, principal, query }: KeyCall): Promise<readonly ServerUsageReport[]> {
  const month = monthOfRequest(context, query.get("month"));
  return await listServerUsage(context, principal, { month, idleDays: idleDaysOf(query.get("idledays")) });
}

/** Throws a 400 on `idleDays`. */
function idleDaysOf(text = "0"): number {
  const days = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(days <= idleDaysMax)) throw invalidField("idleDays", `A whole number from 0 to ${idleDaysMax}`, "out_of_range");
  return days;
}

/** Returns 200 with rows as a download whose name contains the month. */
function csvResponse<Name extends string>(
  { context, query }: KeyCall,
  subject: string,
  { names, rows }: { readonly names: readonly Name[]; readonly rows: readonly Readonly<Record<Name, Value>>[] },
): HttpResponse {
  const { name: month } = monthOfRequest(context, query.get("month"));
  const cells = rows.map((row) => [month, ...names.map((name) => cellOf(row[name]))]);
  const response = textResponse(encodeCsv(["month", ...names], cells), csvType);
  const disposition = attachmentDisposition(`usage-${subject}-${month}.csv`);
  return { ...response, headers: { ...response.headers, "content-disposition": disposition } };
}

type Value = CsvCell | readonly string[];

function cellOf(value: Value): CsvCell {
  return typeof value === "object" && value !== null ? value.join(" ") : value;
}
