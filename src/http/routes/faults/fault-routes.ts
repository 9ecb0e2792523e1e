import {
  clearFaults,
  listFaults,
  replaceFaults,
  type FaultReplacementRequest,
  type FaultScope,
} from "../../../operations/faults/fault-rules.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { invalidField } from "../../../core/errors.ts";
import { readFaultRules } from "../../../operations/faults/read-fault-rules.ts";
import { auditedAct } from "../../audit.ts";
import { noContent } from "../../http-response.ts";
import { listResponse } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute, type QueryParameter } from "../../route.ts";
import { faultRulesSchema, faultSchema } from "../../wire/fault-schema.ts";
import type { Query } from "../../wire/query.ts";
import { build, listOf } from "../../../core/schema.ts";

interface Place {
  readonly path: string;
  readonly access: KeyRoute["access"];
  /** Suffix of the operation ids. */
  readonly name: string;
  /** Owner of the rules, for summaries. */
  readonly owner: string;
  readonly scopeOf: (call: KeyCall) => FaultScope;
}

const places: readonly Place[] = [
  {
    path: "/api/servers/:id/faults",
    access: "key",
    name: "Faults",
    owner: "a server",
    scopeOf: ({ id }) => id,
  },
  { path: "/api/faults", access: "account", name: "ServiceFaults", owner: "the service", scopeOf: () => null },
];

const countsParameter: QueryParameter = {
  name: "counts",
  description:
    "`keep`: rules with the name and the members of a former one keep its counts, last hits and age. `reset` (default): all start at 0.",
  schema: build.enum(["keep", "reset"]),
};

/** Routes of fault rules, for a server or the whole service. */
export const faultRoutes: readonly KeyRoute[] = places.flatMap(({ path, access, name, owner, scopeOf }) => {
  const successes = [{ status: 200, description: "The rules with their counts.", schema: listOf(faultSchema) }];
  const missing = access === "key" ? (["not_found"] as const) : [];
  return [
    {
      method: "GET",
      path,
      operationId: `get${name}`,
      summary: `Retrieve the fault rules of ${owner}, with their counts and last hits.`,
      access,
      successes,
      problems: missing,
      respond: async (call) => listResponse(call, await listFaults(call.context, call.principal, scopeOf(call))),
    },
    {
      method: "PUT",
      path,
      operationId: `put${name}`,
      audit: (call, { body }) =>
        auditedAct("faults.replace", { server: scopeOf(call), details: { count: countOf(body) } }),
      summary: `Replace the fault rules of ${owner}; their counts start at 0 unless they are kept.`,
      query: [countsParameter],
      access,
      body: { schema: faultRulesSchema, isStrict: true, bytesMax: jsonBodyBytesMax },
      successes,
      problems: ["invalid_request", "storage_full", ...missing],
      respond: async (call) => {
        const request = { scope: scopeOf(call), read: () => readRequest(call) };
        return listResponse(call, await replaceFaults(call.context, call.principal, request));
      },
    },
    {
      method: "DELETE",
      path,
      operationId: `delete${name}`,
      audit: (call) => auditedAct("faults.clear", { server: scopeOf(call) }),
      summary: `Remove the fault rules of ${owner}.`,
      access,
      successes: [{ status: 204, description: "Removed." }],
      problems: ["storage_full", ...missing],
      respond: async (call) => {
        await clearFaults(call.context, call.principal, scopeOf(call));
        return noContent;
      },
    },
  ] satisfies readonly KeyRoute[];
});

function countOf(body: readonly Uint8Array[] | null): number {
  const list = JSON.parse(Buffer.concat(body ?? []).toString("utf8")) as
    | readonly unknown[]
    | { readonly items: readonly unknown[] };
  return "items" in list ? list.items.length : list.length;
}

/** Throws a 400 that names every wrong field of query and body. */
function readRequest({ query, body }: KeyCall): FaultReplacementRequest {
  const errors = new FieldCollector();
  const keeps = errors.collect(() => keepsCounts(query));
  const rules = errors.collect(() => readFaultRules(body));
  errors.finish();
  return { rules: rules ?? [], keepsCounts: keeps ?? false };
}

/** Throws a 400 on `counts` unless it is `keep`, `reset` or absent. */
function keepsCounts(query: Query): boolean {
  const counts = query.get("counts") ?? "";
  if (counts === "" || counts === "reset") return false;
  if (counts === "keep") return true;
  throw invalidField("counts", "Must be keep or reset", "unknown");
}
