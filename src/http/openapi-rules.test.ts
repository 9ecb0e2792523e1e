/** Checks the OpenAPI document against Redocly's rules, and its descriptions and examples against the schemas. */
import { createConfig, lintFromString, type Config } from "@redocly/openapi-core";
import { beforeAll, describe, expect, test } from "vitest";
import { exampleValues, requestExamples } from "./documentation/examples.ts";
import { propertyDescriptions } from "./documentation/property-descriptions.ts";
import { writeOpenApi } from "./openapi.ts";
import { routeTable } from "./route-table.ts";
import { decodeBody } from "./wire/request-decoder.ts";

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Described {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let source: string;
let document: Described;
let operations: readonly Operation[];
beforeAll(async () => {
  source = Buffer.from(await writeOpenApi(routeTable)).toString("utf8");
  document = JSON.parse(source) as Described;
  operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
});

/** `createConfig`, without the type of its argument, which takes the type checker a second. */
const configure = createConfig as unknown as (configuration: object) => Promise<Config>;

/** Problems that Redocly's recommended rules find, warnings included. */
async function lint(text: string): Promise<readonly string[]> {
  const config = await configure({
    extends: ["recommended"],
    rules: { "no-invalid-schema-examples": "error", "no-invalid-media-type-examples": "error" },
  });
  const problems = await lintFromString({ source: text, absoluteRef: "/openapi.json", config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

function propertiesOf(schema: Schema | undefined, path: string): readonly (readonly [string, Schema])[] {
  const own = Object.entries(schema?.properties ?? {}).flatMap(([name, property]) => [
    [`${path}.${name}`, property] as const,
    ...propertiesOf(property, `${path}.${name}`),
  ]);
  const items = schema?.items === undefined ? [] : propertiesOf(schema.items, `${path}[]`);
  return [...own, ...items, ...(schema?.anyOf ?? []).flatMap((choice) => propertiesOf(choice, path))];
}

describe("the OpenAPI document", () => {
  test("passes Redocly's recommended rules", async () => {
    expect(await lint(source)).toEqual([]);
  });

  test("fails the rules when it is wrong", async () => {
    const broken = source.replace('"operationId":"listServers",', "").replace('"status":"Verified"', '"status":"X"');
    const rules = (await lint(broken)).map((problem) => problem.split(":")[0]);
    expect(new Set(rules)).toEqual(new Set(["operation-operationId", "no-invalid-media-type-examples"]));
  });

  test("describes every property and parameter, and has no stale description", () => {
    const bodies = operations.flatMap(({ operationId, requestBody }) =>
      propertiesOf(requestBody?.content["application/json"]?.schema, operationId),
    );
    const schemas = Object.entries(document.components.schemas).flatMap(([name, one]) => propertiesOf(one, name));
    const properties = [...schemas, ...bodies];
    expect(properties.filter(([, { description = "" }]) => description === "").map(([path]) => path)).toEqual([]);
    const known = new Set(properties.flatMap(([path]) => [path, path.slice(path.lastIndexOf(".") + 1)]));
    expect(Object.keys(propertyDescriptions).filter((path) => !known.has(path))).toEqual([]);
    const parameters = operations.flatMap((one) => one.parameters ?? []);
    expect(parameters.filter(({ description = "" }) => description === "")).toEqual([]);
  });

  test("describes every tag and names servers", () => {
    const used = new Set(operations.flatMap(({ tags }) => tags));
    expect(document.tags.map(({ name }) => name)).toEqual(Array.from(used).toSorted());
    expect(document.tags.filter(({ description = "" }) => description === "")).toEqual([]);
    expect(document.servers.map(({ url }) => url)).toEqual(["/", "http://127.0.0.1:8025"]);
  });

  test("documents lists as arrays", () => {
    const lists = operations.filter(({ operationId }) => operationId.startsWith("list"));
    expect(lists.length).toBeGreaterThan(7);
    for (const { responses } of lists) {
      expect(responses["200"]?.content?.["application/json"]?.schema).toMatchObject({ type: "array" });
    }
  });

  test("documents searches as arrays, and as objects with an explanation", () => {
    const search = operations.find(({ operationId }) => operationId === "searchMessages");
    expect(search?.responses["200"]?.content?.["application/json"]?.schema?.anyOf).toEqual([
      { type: "array", items: { $ref: "#/components/schemas/Summary" } },
      { $ref: "#/components/schemas/ExplainedSearch" },
    ]);
  });

  test("requires the bodies and members that the service requires, and allows null for the others", () => {
    const bodyOf = (id: string): unknown => operations.find(({ operationId }) => operationId === id)?.requestBody;
    const nullable = { anyOf: [{}, { type: "null" }] };
    expect(bodyOf("createServer")).toMatchObject({
      required: true,
      content: {
        "application/json": {
          schema: { required: ["name"], properties: { name: { minLength: 1 }, ttlSeconds: nullable, quota: nullable } },
        },
      },
    });
    expect(bodyOf("createEmail")).toMatchObject({ required: false });
  });

  test("has an example of every JSON body, which the service accepts", () => {
    const withoutSchema = new Set(["getOpenApiDocument"]);
    for (const { operationId, requestBody, responses } of operations) {
      const response = responses["200"]?.content?.["application/json"];
      if (response !== undefined && !withoutSchema.has(operationId))
        expect([operationId, response.example]).not.toContain(undefined);
      if (requestBody !== undefined) {
        expect([operationId, requestBody.content["application/json"]?.example]).not.toContain(undefined);
      }
    }
    for (const route of routeTable) {
      const { body, operationId } = route;
      if (body === undefined || operationId === null) continue;
      const { schema } = body;
      expect(() => decodeBody(schema, requestExamples[operationId])).not.toThrow();
    }
    const ids = new Set(operations.map(({ operationId }) => operationId));
    expect(Object.keys(requestExamples).filter((id) => !ids.has(id))).toEqual([]);
    const [names, placed] = [Object.keys(exampleValues), Object.entries(document.components.schemas)];
    const properties = placed.flatMap(([name, schema]) =>
      Object.keys(schema.properties ?? {}).map((one) => `${name}.${one}`),
    );
    expect(names.filter((name) => name.includes(".") && !properties.includes(name))).toEqual([]);
  });
});
