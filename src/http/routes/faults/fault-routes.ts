import { accountRoute, keyRoute } from "../rows.ts";
import {
  clearFaults,
  faultSchema,
  listFaults,
  replaceFaults,
  type FaultReplacementRequest,
  type FaultScope,
} from "../../../operations/faults/fault-rules.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { invalidField } from "../../../core/errors.ts";
import { faultRulesSchema, readFaultRules } from "../../../operations/faults/fault-schema.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyCall, KeyRoute, QueryParameter } from "../../route.ts";
import type { Query } from "../../wire/query.ts";
import { build, listOf } from "../../../core/schema.ts";

const countsParameter: QueryParameter = {
  name: "counts",
  description:
    "`keep`: rules with the name and the members of a former one, apart from `paused`, keep its counts, last hits and age. `reset` (default): all start at 0.",
  schema: build.enum(["keep", "reset"]),
};

/** Routes of fault rules, for a server or the whole service. */
export const faultRoutes: readonly KeyRoute[] = [
  ...routesOf(keyRoute, {
    path: "/api/servers/:id/faults",
    name: "Faults",
    owner: "a server",
    scopeOf: ({ id }) => id,
  }),
  ...routesOf(accountRoute, {
    path: "/api/faults",
    name: "ServiceFaults",
    owner: "the service",
    scopeOf: () => null,
  }),
];

/** Returns the routes of the rules of an `owner`; `name` ends the ids of the operations. */
function routesOf(
  route: typeof keyRoute,
  { path, name, owner, scopeOf }: { path: string; name: string; owner: string; scopeOf: (call: KeyCall) => FaultScope },
): readonly KeyRoute[] {
  const rules = ["The rules with their counts.", listOf(faultSchema)] as const;
  return [
    route(`get${name}`, `GET ${path}`, {
      summary: `Retrieve the fault rules of ${owner}, with their counts and last hits.`,
      returns: rules,
      run: async (call) => listFaults(call.context, call.principal, scopeOf(call)),
    }),
    route(`put${name}`, `PUT ${path}`, {
      summary: `Replace the fault rules of ${owner}; their counts start at 0 unless they are kept.`,
      query: [countsParameter],
      body: faultRulesSchema,
      isStrict: true,
      audit: (call, { body }) =>
        auditedAct("faults.replace", { server: scopeOf(call), details: { count: countOf(body) } }),
      returns: rules,
      run: async (call) =>
        replaceFaults(call.context, call.principal, { scope: scopeOf(call), read: () => readRequest(call) }),
    }),
    route(`delete${name}`, `DELETE ${path}`, {
      summary: `Remove the fault rules of ${owner}.`,
      audit: (call) => auditedAct("faults.clear", { server: scopeOf(call) }),
      returns: ["Removed."],
      run: async (call) => clearFaults(call.context, call.principal, scopeOf(call)),
    }),
  ];
}

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
