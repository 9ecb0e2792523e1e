/** SCIM 2.0 (RFC 7643, RFC 7644): a directory adds users and groups, and removes those who leave. */
import { notFound, Problem } from "../../core/errors.ts";
import { actorOf, requireAccount, requireScope } from "../../operations/services/security/access.ts";
import { authenticate } from "../../operations/services/security/authenticate.ts";
import type { Principal } from "../../core/api-key.ts";
import { readKey } from "../auth.ts";
import { FailureWithBody, toErrorResponse } from "../error-response.ts";
import { type HttpResponse, noContent } from "../http-response.ts";
import { RequestAborted } from "../read-body.ts";
import type { Method, ProviderCall, ProviderRoute } from "../route.ts";
import { parseJsonBodyInTurns } from "../wire/json-body.ts";
import { discovery, type ResourceKind } from "./discovery.ts";
import { readFilter } from "./filter.ts";
import { groups } from "./groups.ts";
import { users } from "./users.ts";

const root = "/scim/v2";
const contentType = "application/scim+json";
/** Most resources of a page, and those without `count`. */
const countMax = 1000;
const countUsual = 100;

/** Authenticated request. */
interface ScimCall {
  readonly call: ProviderCall;
  readonly principal: Principal;
}

type Respond = (scim: ScimCall) => Promise<HttpResponse>;

function route(method: Method, path: string, respond: Respond): ProviderRoute {
  return {
    method,
    path: `${root}${path}`,
    operationId: null,
    summary: "SCIM 2.0",
    access: "provider",
    successes: [{ status: 200, description: "As RFC 7644 describes it." }],
    problems: [],
    respond: async (call) => inScimForm(call, async () => respond({ call, principal: await authorize(call) })),
  };
}

/** Returns the principal of a key for SCIM. Rejects with `unauthenticated`, `forbidden`, and `too_many_requests`. */
async function authorize(call: ProviderCall): Promise<Principal> {
  const key = readKey(call.headers.authorization);
  if (key === undefined) throw new Problem("unauthenticated");
  const { principal } = await authenticate(call.context, { key, clientAddress: call.clientAddress });
  call.identify(principal.keyId);
  requireScope(principal, "scim");
  requireAccount(principal);
  return principal;
}

/** Gives errors the form of RFC 7644 §3.12. */
async function inScimForm(call: ProviderCall, action: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof RequestAborted) throw error;
    const problem = error instanceof Problem ? error : new Problem("internal", { cause: error });
    const { response } = toErrorResponse(problem, 'Bearer realm="restante"');
    const headers = { ...response.headers, "content-type": contentType };
    const body = jsonOf(errorOf(problem));
    if (response.status >= 500) {
      const shown = call.isHead ? null : body;
      throw new FailureWithBody(error, { headers: { "content-type": contentType }, body: shown });
    }
    return { status: response.status, headers, body };
  }
}

function errorOf(problem: Problem): unknown {
  const [first] = problem.fields;
  const isFilter = first?.field === "filter";
  const types: Partial<Record<Problem["code"], string>> = {
    conflict: "uniqueness",
    invalid_request: isFilter ? "invalidFilter" : "invalidValue",
  };
  const scimType = types[problem.code];
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(problem.row.status),
    ...(scimType !== undefined && { scimType }),
    detail: first === undefined ? problem.message : `${first.field}: ${first.description}`,
  };
}

function jsonOf(value: unknown): readonly Uint8Array[] {
  return [Buffer.from(JSON.stringify(value), "utf8")];
}

function respondWith(value: unknown, status = 200, headers: HttpResponse["headers"] = {}): HttpResponse {
  return { status, headers: { "content-type": contentType, ...headers }, body: jsonOf(value) };
}

async function bodyOf({ call }: ScimCall): Promise<unknown> {
  const bytes = await call.readBody(call.context.limits.jsonBodyBytesMax);
  return parseJsonBodyInTurns(bytes, call.headers["content-type"]);
}

/** Returns the routes of a kind of resources. */
function routesOf<Item extends { readonly id: string; readonly createdAt: number }>(
  kind: ResourceKind<Item>,
): readonly ProviderRoute[] {
  const path = `/${kind.path}`;
  const shown = async ({ call }: ScimCall, item: Item): Promise<Readonly<Record<string, unknown>>> => {
    const json = await kind.toJson(call.context, item);
    const location = `${call.context.settings.publicUrl()}${root}${path}/${item.id}`;
    const created = new Date(item.createdAt).toISOString();
    return chosenOf(call, { ...json, meta: { resourceType: kind.name, created, location } });
  };
  const record = async (
    { call, principal }: ScimCall,
    verb: keyof ResourceKind<Item>["actions"],
    target: string,
  ): Promise<void> => {
    const actor = actorOf(principal, "key", call.clientAddress);
    await call.context.audit.record(actor, {
      action: kind.actions[verb],
      target,
      server: null,
      details: { by: "scim" },
    });
  };
  const change = (apply: typeof kind.replace): Respond => {
    return async (scim) => {
      const item = await apply(scim.call.context, scim.call.id, await bodyOf(scim));
      await record(scim, "update", item.id);
      return respondWith(await shown(scim, item));
    };
  };
  return [
    route("GET", path, async (scim) => listOf(scim, kind, async (item) => shown(scim, item))),
    route("POST", path, async (scim) => {
      const item = await kind.create(scim.call.context, await bodyOf(scim));
      await record(scim, "create", item.id);
      const json = await shown(scim, item);
      return respondWith(json, 201, { location: `${scim.call.context.settings.publicUrl()}${root}${path}/${item.id}` });
    }),
    route("GET", `${path}/:id`, async (scim) => {
      const item = await kind.get(scim.call.context, scim.call.id);
      if (item === undefined) throw notFound(kind.name === "User" ? "User" : "Team");
      return respondWith(await shown(scim, item));
    }),
    route("PUT", `${path}/:id`, change(kind.replace)),
    route("PATCH", `${path}/:id`, change(kind.patch)),
    route("DELETE", `${path}/:id`, async (scim) => {
      await kind.remove(scim.call.context, scim.call.id);
      await record(scim, "delete", scim.call.id);
      return noContent;
    }),
  ];
}

/** Returns a page of the resources that match the filter (RFC 7644 §3.4.2). */
async function listOf<Item extends { readonly id: string }>(
  { call }: ScimCall,
  kind: ResourceKind<Item>,
  shown: (item: Item) => Promise<unknown>,
): Promise<HttpResponse> {
  const { query, context } = call;
  const filter = query.get("filter") ?? "";
  const matches = filter === "" ? () => true : readFilter(filter);
  const found = (await kind.list(context)).filter((item) => matches(kind.valuesOf(item)));
  const startIndex = Math.max(1, wholeNumber(query.get("startindex") ?? query.get("startIndex"), 1));
  const count = Math.min(countMax, Math.max(0, wholeNumber(query.get("count"), countUsual)));
  const page = found.slice(startIndex - 1, startIndex - 1 + count);
  const resources: unknown[] = [];
  for (const item of page) resources.push(await shown(item));
  return respondWith({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: found.length,
    startIndex,
    itemsPerPage: page.length,
    Resources: resources,
  });
}

function wholeNumber(text: string | undefined, usual: number): number {
  return text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : usual;
}

/** Leaves out attributes that the request excludes or does not name (RFC 7644 §3.9). */
function chosenOf({ query }: ProviderCall, json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const read = (name: string): readonly string[] =>
    (query.get(name.toLowerCase()) ?? query.get(name) ?? "")
      .toLowerCase()
      .split(",")
      .filter((one) => one !== "");
  const [only, excluded] = [read("attributes"), read("excludedAttributes")];
  const isAlways = (name: string): boolean => name === "id" || name === "schemas";
  const isShown = (name: string): boolean => {
    const own = name.toLowerCase();
    if (isAlways(own)) return true;
    const isNamed = (list: readonly string[]): boolean => list.some((one) => one === own || one.startsWith(`${own}.`));
    return (only.length === 0 || isNamed(only)) && !excluded.includes(own);
  };
  return Object.fromEntries(Object.entries(json).filter(([name]) => isShown(name)));
}

/** Routes below `/scim/v2`. */
export const scimRoutes: readonly ProviderRoute[] = [
  ...routesOf(users),
  ...routesOf(groups),
  ...Object.entries(discovery).map(([path, value]) =>
    route("GET", path, async () => Promise.resolve(respondWith(value))),
  ),
];
