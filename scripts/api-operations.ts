/** Operations of the OpenAPI document, as the files of the client are made from them. */

/** JSON object of the document. */
export type Json = Readonly<Record<string, unknown>>;

interface Media {
  readonly schema?: Json;
}

/** Operation of the document. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required: boolean;
    readonly description: string;
    readonly schema: Json;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

/** Operation with its method and path. */
export interface NamedOperation extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Names that would hide a global type. */
export const renamed: Readonly<Record<string, string>> = { Error: "ErrorBody" };

/** Returns name and schema of the query of an operation, if it has one. */
export function queryOf({
  operationId,
  summary,
  parameters = [],
}: NamedOperation): readonly (readonly [string, Json])[] {
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

/** Returns name and schema of the body of an operation, unless it has none or a named one. */
export function bodyOf({ operationId, summary, requestBody }: NamedOperation): readonly (readonly [string, Json])[] {
  const whole = requestBody?.content["application/json"]?.schema;
  if (whole === undefined || "$ref" in whole) return [];
  const [schema = whole] = formsOf(whole);
  const description = `Body of \`${operationId}\`: ${summary}`;
  return [[`${pascal(operationId)}Request`, { description, ...(asWritten(schema) as Json) }]];
}

/** Returns the type of the body of a request. */
export function requestType(operation: NamedOperation): string {
  return bodyOf(operation)[0]?.[0] ?? refName(operation.requestBody?.content["application/json"]?.schema) ?? "unknown";
}

/** Returns the type of a response: JSON by its schema, text as a string, files as bytes. */
export function responseType({ responses }: NamedOperation): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const [[mediaType, media] = ["", {}]] = Object.entries<Media>(success?.content ?? {});
  if (mediaType === "") return "undefined";
  if (mediaType.startsWith("text/")) return "string";
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

/** Returns the kind of content of a response, as in the table of operations. */
export function contentOf(operation: NamedOperation): string {
  const type = responseType(operation);
  const kinds: Readonly<Record<string, string>> = {
    undefined: "none",
    string: "text",
    Uint8Array: "bytes",
    Message: "message",
  };
  if (!type.endsWith("[]")) return kinds[type] ?? "json";
  return queryNames(operation).includes("itemsPerPage") ? "page" : "list";
}

/** Returns the type that a schema refers to. */
export function refName(schema: Json | undefined): string | undefined {
  const { $ref: reference } = schema ?? {};
  return typeof reference === "string" ? nameOf(reference) : undefined;
}

function nameOf(reference: string): string {
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  return renamed[name] ?? name;
}

/** Returns the names of the query. */
export function queryNames({ parameters = [] }: NamedOperation): readonly string[] {
  return parameters.filter((one) => one.in === "query").map(({ name }) => name);
}

/** Whether the query must name a server. */
export function hasServer({ parameters = [] }: NamedOperation): boolean {
  return parameters.some((one) => one.in === "query" && one.name === "server" && one.required);
}

/** Returns the names of the parameters in a path, in order. */
export function namesIn(path: string): readonly string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
}

/** Returns the name of a type for that of an operation. */
export function pascal(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
