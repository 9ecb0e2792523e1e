/**
 * Writes the types and the table of operations of `restante/client` from the OpenAPI document, to `src/client/generated`. A
 * test compares the files with the document: run `npm run generate` after a change to routes or schemas.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { writeOpenApi } from "../src/http/openapi.ts";
import { routeTable } from "../src/http/route-table.ts";

type Json = Readonly<Record<string, unknown>>;

interface Media {
  readonly schema?: Json;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required: boolean;
    readonly description: string;
    readonly schema: Json;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface NamedOperation extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Text of a generated file by its name. */
export type GeneratedFiles = Readonly<Record<"types.ts" | "operations.ts", string>>;

/** Directory of the generated files. */
export const generatedFolder: string = join(import.meta.dirname, "..", "src", "client", "generated");

/** Operations that exist for former releases of other clients only. */
const legacyOperations: ReadonlySet<string> = new Set([
  "listFormerEmailClients",
  "generateFormerPreviews",
  "getFormerPreview",
]);

/** Names that would hide a global type. */
const renamed: Readonly<Record<string, string>> = { Error: "ErrorBody" };

const warning = "/** Generated from the OpenAPI document by `npm run generate`. Do not edit. */\n";

/** Returns the generated files. */
export async function generateClient(): Promise<GeneratedFiles> {
  const document = JSON.parse(new TextDecoder().decode(await writeOpenApi(routeTable))) as OpenApiDocument;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !legacyOperations.has(operationId))
      .map(([method, operation]): NamedOperation => ({ ...operation, method: method.toUpperCase(), path })),
  );
  return { "types.ts": await typesOf(document, operations), "operations.ts": tableOf(operations) };
}

async function typesOf(document: OpenApiDocument, operations: readonly NamedOperation[]): Promise<string> {
  const requests = operations.flatMap((operation) => [...queryOf(operation), ...bodyOf(operation)]);
  const definitions = Object.fromEntries(
    [...Object.entries(document.components.schemas), ...requests].map(([name, schema]) => [
      renamed[name] ?? name,
      prepare(schema),
    ]),
  );
  const text = await compile({ title: "Unused", definitions, properties: {} } as JSONSchema, "Unused", {
    additionalProperties: false,
    bannerComment: "",
    unreachableDefinitions: true,
    unknownAny: true,
    ignoreMinAndMaxItems: true,
    style: { printWidth: 120 },
  });
  const named = `\n${text}`
    .replace(/export interface Unused \{\}\n/, "")
    // The library explains where each definition comes from.
    .replaceAll(/^ \* This interface was referenced by .*\n \* via the `definition` "\w+"\.\n/gm, "")
    .replaceAll(/^\/\*\*\n(?: \*\n)* \*\/\n/gm, "")
    .replaceAll(/\n \*\n \*\//g, "\n */")
    // One line for a comment that fits on it.
    .replaceAll(/\/\*\*\n +\* (.{1,100})\n +\*\//g, "/** $1 */")
    .replaceAll(/(?<!\*\/)\nexport interface (\w+) /g, "\n/** `$1` of the API. */\nexport interface $1 ");
  return `${warning}\n${named.trim()}\n\n${operationTypes(operations)}`;
}

/** Adapts a schema: no references to components of the document, no formats or defaults, which have no types. */
function prepare(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(prepare);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(([name]) => name !== "example" && name !== "title");
  const { $ref: reference } = schema as Json;
  if (typeof reference === "string") return { $ref: `#/definitions/${refName(schema as Json) ?? ""}` };
  return Object.fromEntries(entries.map(([name, value]) => [name, prepare(value)]));
}

function queryOf({ operationId, summary, parameters = [] }: NamedOperation): readonly (readonly [string, Json])[] {
  const query = parameters.filter((parameter) => parameter.in === "query");
  if (query.length === 0) return [];
  const schema = {
    type: "object",
    description: `Query of \`${operationId}\`: ${summary}`,
    required: query.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      query.map(({ name, description, schema }) => [name, { ...(asWritten(schema) as Json), description }]),
    ),
  };
  return [[`${pascal(operationId)}Query`, schema]];
}

/** Returns the schema of what a client writes: of the forms of a string that the service accepts, the first. */
function asWritten(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asWritten);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]: [string, unknown]) => {
    if (name === "anyOf") return [name, asWritten(distinctForms(value as readonly Json[]))] as const;
    const [first] = name === "items" ? formsOf(value) : [];
    return [name, asWritten(first ?? value)] as const;
  });
  return Object.fromEntries(entries);
}

function formsOf(schema: unknown): readonly Json[] {
  return ((schema as Json)["anyOf"] ?? []) as readonly Json[];
}

/** Returns the forms of different types; the members of an enum may be given by their number, which is no further type. */
function distinctForms(forms: readonly Json[]): readonly Json[] {
  const typeOf = (form: Json): unknown => ("enum" in form ? "string" : form["type"]);
  const isEnum = "enum" in (forms[0] ?? {});
  return forms.filter((form, at) => {
    const isNumber = isEnum && form["type"] === "integer";
    return !isNumber && forms.findIndex((one) => typeOf(one) === typeOf(form)) === at;
  });
}

function bodyOf({ operationId, summary, requestBody }: NamedOperation): readonly (readonly [string, Json])[] {
  const whole = requestBody?.content["application/json"]?.schema;
  if (whole === undefined || "$ref" in whole) return [];
  const [schema = whole] = formsOf(whole);
  const description = `Body of \`${operationId}\`: ${summary}`;
  return [[`${pascal(operationId)}Request`, { description, ...(asWritten(schema) as Json) }]];
}

function operationTypes(operations: readonly NamedOperation[]): string {
  const rows = operations.map((operation) => {
    const { operationId, path, summary, parameters = [] } = operation;
    const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => `${name}: string`);
    const members = [
      ...(inPath.length > 0 ? [`path: { ${inPath.join("; ")} }`] : []),
      ...(queryOf(operation).length > 0
        ? [
            `query${parameters.some((one) => one.in === "query" && one.required) ? "" : "?"}: ${pascal(operationId)}Query`,
          ]
        : []),
      ...(operation.requestBody === undefined ? [] : [`body: ${requestType(operation)}`]),
      `response: ${responseType(operation)}`,
    ];
    return `  /** ${summary} */\n  ${operationId}: { ${members.join("; ")} };\n`;
  });
  return `/** Parameters and response of each operation, by its id. */\nexport interface Operations {\n${rows.join("")}}\n`;
}

function requestType(operation: NamedOperation): string {
  return bodyOf(operation)[0]?.[0] ?? refName(operation.requestBody?.content["application/json"]?.schema) ?? "unknown";
}

/** JSON is typed by its schema, text is a string, files are bytes. */
function responseType({ responses }: NamedOperation): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const [[mediaType, media] = ["", {}]] = Object.entries<Media>(success?.content ?? {});
  if (mediaType === "") return "undefined";
  if (mediaType.startsWith("text/plain")) return "string";
  if (!mediaType.startsWith("application/json")) return "Uint8Array";
  return jsonType(media.schema ?? {});
}

function jsonType(schema: Json): string {
  // The first of several forms is that without options.
  const [first] = (schema["anyOf"] ?? []) as readonly Json[];
  if (first !== undefined) return jsonType(first);
  const item = refName(schema["items"] as Json | undefined);
  return refName(schema) ?? (item === undefined ? "unknown" : `${item}[]`);
}

function contentOf(operation: NamedOperation): string {
  const type = responseType(operation);
  const kinds: Readonly<Record<string, string>> = { undefined: "none", string: "text", Uint8Array: "bytes" };
  return type.endsWith("[]") ? "list" : (kinds[type] ?? "json");
}

function refName(schema: Json | undefined): string | undefined {
  const { $ref: reference } = schema ?? {};
  return typeof reference === "string" ? nameOf(reference) : undefined;
}

function nameOf(reference: string): string {
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  return renamed[name] ?? name;
}

function tableOf(operations: readonly NamedOperation[]): string {
  const rows = operations.map((operation) => {
    const { operationId, method, path } = operation;
    return `  ${operationId}: ["${method}", "${path}", "${contentOf(operation)}"],\n`;
  });
  return `${warning}import type { Operations } from "./types.ts";

/** Content of the response to an operation. */
export type ContentKind = "none" | "json" | "list" | "text" | "bytes";

/** Method and path of an operation, and the content of its response. */
export type OperationRow = readonly [method: string, path: string, content: ContentKind];

/** Row of each operation, by its id. */
export const operations: Readonly<Record<keyof Operations, OperationRow>> = {
${rows.join("")}};
`;
}

function pascal(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

if (import.meta.main) {
  mkdirSync(generatedFolder, { recursive: true });
  for (const [name, text] of Object.entries(await generateClient())) writeFileSync(join(generatedFolder, name), text);
}
