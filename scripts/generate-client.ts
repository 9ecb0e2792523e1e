/**
 * Writes the types, the table and the methods of the operations of `restante/client` from the OpenAPI document, to `src/client/generated`. A
 * test compares the files with the document: run `npm run generate` after a change to routes or schemas.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import {
  bodyOf,
  contentOf,
  hasServer,
  namesIn,
  pascal,
  queryNames,
  queryOf,
  refName,
  renamed,
  requestType,
  responseType,
  type Json,
  type NamedOperation,
  type Operation,
} from "./api-operations.ts";
import { writeOpenApi } from "../src/http/openapi.ts";
import { routeTable } from "../src/http/route-table.ts";

interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Text of a generated file by its name. */
export type GeneratedFiles = Readonly<Record<"types.ts" | "operations.ts" | "methods.ts", string>>;

/** Directory of the generated files. */
export const generatedFolder: string = join(import.meta.dirname, "..", "src", "client", "generated");

/** Operations that exist for former releases of other clients only. */
const legacyOperations: ReadonlySet<string> = new Set([
  "listFormerEmailClients",
  "generateFormerPreviews",
  "getFormerPreview",
]);

const warning = "/** Generated from the OpenAPI document by `npm run generate`. Do not edit. */\n";

/** Returns the generated files. */
export async function generateClient(): Promise<GeneratedFiles> {
  const document = JSON.parse(new TextDecoder().decode(await writeOpenApi(routeTable))) as OpenApiDocument;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !legacyOperations.has(operationId))
      .map(([method, operation]): NamedOperation => ({ ...operation, method: method.toUpperCase(), path })),
  );
  return {
    "types.ts": await typesOf(document, operations),
    "operations.ts": tableOf(operations),
    "methods.ts": methodsOf(operations),
  };
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

function operationTypes(operations: readonly NamedOperation[]): string {
  const rows = operations.map((operation) => {
    const { operationId, path, summary, parameters = [] } = operation;
    const inPath = namesIn(path).map((name) => `${name}: string`);
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

function tableOf(operations: readonly NamedOperation[]): string {
  const rows = operations.map((operation) => {
    const { operationId, method, path } = operation;
    const takes = [
      ...(hasServer(operation) ? ["server: true"] : []),
      ...(operation.requestBody === undefined ? [] : ["body: true"]),
    ];
    const row = [`method: "${method}"`, `path: "${path}"`, `content: "${contentOf(operation)}"`, ...takes];
    return `  ${operationId}: { ${row.join(", ")} },\n`;
  });
  return `${warning}import type { Operations } from "./types.ts";

/** Content of the response to an operation; a page is one of the pages of a list, a message gets methods. */
export type ContentKind = "none" | "json" | "message" | "list" | "page" | "text" | "bytes";

/** Operation of the API. */
export interface OperationRow {
  readonly method: string;
  readonly path: string;
  readonly content: ContentKind;
  /** Whether the query names a server. */
  readonly server?: true;
  readonly body?: true;
}

/** Row of each operation, by its id. */
export const operations: Readonly<Record<keyof Operations, OperationRow>> = {
${rows.join("")}};
`;
}

/** Returns the signatures of the client: what the request is about, then the body, then the query among the options. */
function methodsOf(operations: readonly NamedOperation[]): string {
  const rows = operations.map((operation) => {
    const { operationId, summary } = operation;
    const given = [...subjectOf(operation), ...fieldsOf(operation), `options?: ${optionsOf(operation)}`].join(", ");
    return `  /** ${summary} */\n  ${operationId}(${given}): Promise<${resultOf(operation)}>;\n`;
  });
  const body = rows.join("");
  const elsewhere = ["RequestOptions", "Page", "Instant", "ReceivedMessage", "Promise", "Omit", "Uint8Array"];
  const names = body.replaceAll(/\/\*\*.*\*\//g, "").matchAll(/\b[A-Z]\w+/g);
  const types = Array.from(new Set(Array.from(names, ([name]) => name)))
    .filter((name) => !elsewhere.includes(name))
    .toSorted();
  return `${warning}import type { Instant } from "../bounds.ts";
import type { RequestOptions } from "../options.ts";
import type { Page } from "../page.ts";
import type { ReceivedMessage } from "../received-message.ts";
import type {
${types.map((name) => `  ${name},\n`).join("")}} from "./types.ts";

/** Method of the client for each operation. */
export interface Methods {
${body}}
`;
}

function subjectOf(operation: NamedOperation): readonly string[] {
  const [first, ...others] = namesIn(operation.path);
  if (first === undefined) return hasServer(operation) ? ["server: string"] : [];
  if (others.length === 0) return [`${operation.path.startsWith("/api/servers/") ? "server" : "id"}: string`];
  const members = [operation.path.startsWith("/api/teams/") ? "team" : "server", ...others].map(
    (name) => `readonly ${name}: string`,
  );
  return [`id: { ${members.join("; ")} }`];
}

/** Of a change by PUT nothing would be left without fields. */
function fieldsOf(operation: NamedOperation): readonly string[] {
  const { method, requestBody } = operation;
  if (requestBody === undefined) return [];
  const isOptional = method === "POST" && !requestBody.required;
  return [`fields${isOptional ? "?" : ""}: ${requestType(operation)}`];
}

/** An instant may be a Date. */
function optionsOf(operation: NamedOperation): string {
  const names = queryNames(operation);
  const replaced = ["server", "receivedAfter"].filter((name) => names.includes(name));
  const type = `${pascal(operation.operationId)}Query`;
  if (names.every((name) => name === "server" && hasServer(operation))) return "RequestOptions";
  const query = replaced.length === 0 ? type : `Omit<${type}, ${replaced.map((name) => `"${name}"`).join(" | ")}>`;
  const instant = replaced.includes("receivedAfter") ? " & { readonly receivedAfter?: Instant | undefined }" : "";
  return `RequestOptions & ${query}${instant}`;
}

function resultOf(operation: NamedOperation): string {
  const type = responseType(operation);
  if (type === "undefined") return "void";
  if (type === "Message") return "ReceivedMessage";
  return contentOf(operation) === "page"
    ? `Page<${type.slice(0, -2)}>`
    : `${type.endsWith("[]") ? "readonly " : ""}${type}`;
}

if (import.meta.main) {
  mkdirSync(generatedFolder, { recursive: true });
  for (const [name, text] of Object.entries(await generateClient())) writeFileSync(join(generatedFolder, name), text);
}
