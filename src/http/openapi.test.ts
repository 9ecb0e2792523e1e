import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer } from "../testing/http-test-server.test-aid.ts";
import { criterionNames } from "../core/criteria.ts";
import { criteriaProperties } from "../core/criteria.ts";
import { problemsOf } from "./openapi.ts";
import type { Route } from "./route.ts";
import { routeTable } from "./route-table.ts";
import { webRoutes } from "./web/routes/web-routes.ts";
import { mtaStsPath } from "../core/mta-sts.ts";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required: boolean;
    readonly schema?: unknown;
  }[];
  readonly requestBody?: unknown;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
}
interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
}

let api: HttpTestServer;
let document: OpenApiDocument;
let operations: readonly (readonly [string, Operation])[];
const documented = routeTable.filter((route) => route.operationId !== null);
/** Returns the operation of a route in the document. */
const operationOf = (route: Route): Operation => {
  const name = nameOf(route.method, route.path);
  const found = operations.find(([one]) => one === name);
  if (found === undefined) throw new Error(`the document does not know ${name}`);
  return found[1];
};
const nameOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`;

beforeAll(async () => {
  api = await openHttpTestServer();
  document = (await api.ask("GET /openapi.json", { key: null })).json();
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [nameOf(method, path), operation] as const),
  );
});
afterAll(async () => api[Symbol.asyncDispose]());

describe("the OpenAPI document", () => {
  test("is version 3.1 and has the required members", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toMatchObject({ title: "restante" });
    expect(document.info.version).toMatch(/./);
    expect(Object.keys(document.components.securitySchemes)).toEqual(["basic", "bearer"]);
  });

  test("excludes NUL from every text to search for", () => {
    const names: readonly string[] = [...criterionNames, "q"];
    const parameters = operations.flatMap(([name, { parameters: given = [] }]) =>
      given.filter((one) => one.in === "query" && names.includes(one.name)).map((one) => [name, one.name, one.schema]),
    );
    expect(parameters.length).toBeGreaterThan(10);
    for (const one of parameters)
      expect(one).toMatchObject([one[0], one[1], { type: "string", pattern: "^[^\\u0000]*$" }]);
    const members = Object.entries(criteriaProperties).filter(([name]) => name !== "match");
    for (const [, member] of members) expect(member).toHaveProperty("pattern", "^[^\\u0000]*$");
  });

  test("lists exactly the routes that are neither withdrawn, nor the web UI's own, nor MCP, nor for mail servers", () => {
    const table = documented.map((route) => nameOf(route.method, route.path));
    expect(operations.map(([name]) => name).toSorted()).toEqual(table.toSorted());
    expect(
      routeTable
        .filter((route) => route.operationId === null)
        .every(
          (route) =>
            ["/mcp", mtaStsPath].includes(route.path) ||
            route.problems.includes("gone") ||
            route.access === "provider" ||
            webRoutes.includes(route),
        ),
    ).toBe(true);
  });

  test("has unique operation ids", () => {
    const names = operations.map(([, operation]) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  test("describes the summary, the security and every status of each operation", () => {
    for (const route of documented) {
      const operation = operationOf(route);
      expect(operation.operationId).toBe(route.operationId);
      expect(operation.summary).toMatch(/^[A-Z].*\.$/);
      const statuses = [...route.successes.map((one) => one.status), ...problemsOf(route).map(([status]) => status)];
      expect(Object.keys(operation.responses)).toEqual(Array.from(new Set(statuses), String).toSorted());
      for (const response of Object.values(operation.responses)) expect(response.description).toMatch(/./);
      expect(operation.requestBody !== undefined).toBe(route.body !== undefined);
      expect(operation.security?.length ?? 0).toBe(
        { open: 0, local: 3, key: 2, account: 2, provider: 0 }[route.access],
      );
    }
  });

  test("declares every path and query parameter", () => {
    for (const route of documented) {
      const operation = operationOf(route);
      const declared = (operation.parameters ?? []).map((one) => `${one.in} ${one.name} ${String(one.required)}`);
      const path = Array.from(route.path.matchAll(/:(\w+)/g), ([, name = ""]) => `path ${name} true`);
      const query = (route.query ?? []).map((one) => `query ${one.name} ${String(one.isRequired ?? false)}`);
      expect(declared.toSorted()).toEqual([...path, ...query].toSorted());
    }
  });

  test("refers only to its own schemas, and uses all of them", () => {
    const text = JSON.stringify(document);
    const references = new Set(Array.from(text.matchAll(/"\$ref":"([^"]*)"/g), (match) => match[1] ?? ""));
    const held = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(Array.from(references).toSorted()).toEqual(held.toSorted());
  });
});
