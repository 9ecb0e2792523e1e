/** OpenAPI 3.1 document of the API, generated from the route table. */
import { catalogue, type ProblemCode } from "../core/errors.ts";
import type { BodyRule, QueryParameter, Route, Success } from "./route.ts";
import { errorSchema } from "./wire/error-schema.ts";
import { asRead, asRequested, emptyText, withRequired } from "./wire/requested-schema.ts";
import { orNull, refer, type SchemaShape, type WireSchema, referred } from "../core/schema.ts";

/** JSON object of the document. */
type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the OpenAPI document of some routes as UTF-8 JSON. Routes without an operation id are left out. `basePath` is the path
 * of the service for clients, empty at the root of a host.
 */
export async function writeOpenApi(routes: readonly Route[], basePath = ""): Promise<Uint8Array> {
  // Loaded on demand: the document is requested rarely, and its texts are large.
  const { completeDocument } = await import("./documentation/complete-document.ts");
  const paths: Record<string, Record<string, Json>> = {};
  const documented = routes.filter(({ operationId }) => operationId !== null);
  for (const route of documented) {
    const path = (paths[route.path.replaceAll(/:(\w+)/g, "{$1}")] ??= {});
    path[route.method.toLowerCase()] = describeRoute(route);
  }
  const described = {
    openapi: "3.1.0",
    info: {
      title: "restante",
      version: "1",
      description: "A self-hosted message store for people who test e-mail and SMS.",
      license: { name: "MIT", identifier: "MIT" },
    },
    ...(basePath !== "" && { servers: [{ url: basePath }] }),
    components: {
      securitySchemes: {
        basic: { type: "http", scheme: "basic", description: "The key as user name, or as password of any user." },
        bearer: { type: "http", scheme: "bearer", description: "The key." },
      },
      schemas: componentsOf([errorSchema, ...documented.flatMap(schemasOf)]),
    },
    paths,
  };
  // A copy in which no two members share an object, since completion writes into it.
  const document = JSON.parse(JSON.stringify(described)) as Record<string, unknown>;
  completeDocument(document);
  return Buffer.from(JSON.stringify(document), "utf8");
}

function schemasOf({ body, successes }: Route): readonly SchemaShape[] {
  return [body?.schema, ...successes.map(({ schema }) => schema)].filter((schema) => schema !== undefined);
}

function describeRoute(route: Route): Json {
  const isOpen = route.access === "open" || route.access === "local";
  const security = [{ basic: [] }, { bearer: [] }];
  const inPath = Array.from(route.path.matchAll(/:(\w+)/g), ([, name = ""]) => pathParameter(name));
  const parameters = [...inPath, ...(route.query ?? []).map(describeQuery)];
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [tagOf(route.path)],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: describeBody(route.body),
    }),
    security: route.access === "open" ? [] : isOpen ? [{}, ...security] : security,
    responses: {
      ...Object.fromEntries(route.successes.map((success) => [success.status, describeSuccess(success)])),
      ...Object.fromEntries(problemsOf(route).map(describeProblems)),
    },
  };
}

/** An absent body, and null, is an empty object, so only schemas with required members require a body. */
function describeBody({ schema, required = [], isStrict }: BodyRule): Json {
  const whole = isStrict === true ? asRead(schema) : asRequested(withRequired(schema, required));
  const isRequired = isStrict === true || (whole.required ?? []).length > 0;
  return {
    required: isRequired,
    content: { "application/json": { schema: isRequired ? whole : orNull(whole as WireSchema<unknown>) } },
  };
}

/** Returns every error status of a route with the problems that cause it. */
export function problemsOf(route: Route): readonly (readonly [status: number, codes: readonly ProblemCode[]])[] {
  const codes = new Set<ProblemCode>(route.problems);
  if (route.access !== "open") codes.add("unauthenticated").add("too_many_requests");
  if (route.body !== undefined) codes.add("invalid_request").add("body_too_large").add("unsupported_media_type");
  codes.add("forbidden").add("internal").add("unavailable");
  const byStatus = Map.groupBy(codes, (code) => catalogue[code].status);
  return Array.from(byStatus).toSorted(([one], [other]) => one - other);
}

const pathDescriptions: Readonly<Record<string, string>> = {
  webhook: "Id of the webhook.",
  provider: "Name of the provider, as in `/providers/<name>`.",
  route: "Id of the inbound route.",
  delivery: "Id of the delivery.",
};

function pathParameter(name: string): Json {
  const description = pathDescriptions[name] ?? "Id of the thing that the path names.";
  return { in: "path", name, required: true, description, schema: { type: "string" } };
}

function describeQuery({ name, description, isRequired = false, schema }: QueryParameter): Json {
  // An empty parameter is an absent one.
  const given = isRequired && schema.type === "string" ? { minLength: 1, ...schema } : orEmpty(schema, isRequired);
  return { in: "query", name, required: isRequired, description, schema: given };
}

function orEmpty(schema: WireSchema<unknown>, isRequired: boolean): SchemaShape {
  const { anyOf = [schema], format } = schema;
  return !isRequired && (anyOf.length > 1 || format !== undefined) ? { anyOf: [...anyOf, emptyText] } : schema;
}

function describeSuccess({ status, description, contentType = "application/json", schema, headers }: Success): Json {
  if (status === 204 || status === 304) return { description };
  const fields = Object.entries(headers ?? {}).map(
    ([name, meaning]) => [name, { schema: { type: "string" }, description: meaning }] as const,
  );
  const content = schema === undefined ? {} : referTo(schema);
  return { description, headers: Object.fromEntries(fields), content: { [contentType]: { schema: content } } };
}

function describeProblems([status, codes]: readonly [number, readonly ProblemCode[]]): readonly [number, Json] {
  const description = codes.map((code) => `${catalogue[code].text} (\`${code}\`).`).join(" ");
  return [status, { description, content: { "application/json": { schema: refer(errorSchema) } } }];
}

function referTo(schema: WireSchema<unknown>): SchemaShape {
  return schema.$id === undefined ? schema : refer(schema);
}

function tagOf(path: string): string {
  const [, root, resource] = path.split("/");
  return root === "api" ? (resource ?? "service") : "service";
}

/** Returns the schemas with an `$id` among these and in them, by their id, in its alphabetical order. */
function componentsOf(schemas: readonly SchemaShape[]): Readonly<Record<string, SchemaShape>> {
  const found = new Map<string, SchemaShape>();
  for (const schema of schemas) collect(found, schema);
  const sorted = Array.from(found).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([id, { $id, ...schema }]) => [$id ?? id, schema]));
}

function collect(found: Map<string, SchemaShape>, schema: SchemaShape): void {
  const { $id, [referred]: target, properties = {}, items, anyOf = [], additionalProperties: values } = schema;
  if ($id !== undefined) {
    if (found.has($id)) return;
    found.set($id, schema);
  }
  for (const one of [target, items, values, ...anyOf, ...Object.values(properties)]) {
    if (typeof one === "object") collect(found, one);
  }
}
