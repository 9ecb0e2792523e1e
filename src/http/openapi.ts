/** The one door to @fastify/swagger: this interface as an OpenAPI 3.1 document, written from the route table. */
import { fastify, type FastifySchema } from "fastify";
import { catalogue, type ProblemCode } from "../core/errors.ts";
import type { Route, Success } from "./route.ts";
import { deliverabilitySchema, spamAnalysisSchema, spamRuleSchema, verdictSchema } from "./wire/analysis-schema.ts";
import { auditEntrySchema } from "./wire/audit-schema.ts";
import { deviceSchema, passwordOfDeviceSchema } from "./wire/device-schema.ts";
import { errorSchema } from "./wire/error-schema.ts";
import { keySchema, newKeySchema } from "./wire/key-schema.ts";
import { lintFindingSchema, lintReportSchema } from "./wire/lint-schema.ts";
import {
  attachmentSchema,
  codeSchema,
  contactSchema,
  deliverySchema,
  headerFieldSchema,
  htmlContentSchema,
  imageSchema,
  linkSchema,
  messageSchema,
  metadataSchema,
  segmentationSchema,
  summarySchema,
  textContentSchema,
} from "./wire/message-schema.ts";
import { emailClientSchema, formerClientSchema, previewSchema } from "./wire/preview-schema.ts";
import { build, refer, shapeOf, type WireSchema } from "./wire/schema.ts";
import { numberSchema, phrasesSchema } from "./wire/sms-schema.ts";
import { verifiedAddressSchema } from "./wire/verified-address-schema.ts";
import {
  newServerSchema,
  passwordSchema,
  quotaSchema,
  retentionSchema,
  serverSchema,
  usageSchema,
} from "./wire/server-schema.ts";
import { statusSchema, taskSchema } from "./wire/status-schema.ts";
import { transactionSchema, usageLimitSchema, usageLimitsSchema } from "./wire/usage-schema.ts";
import { zoneSchema } from "./wire/zone-schema.ts";

const components: readonly WireSchema<unknown>[] = [
  contactSchema,
  linkSchema,
  codeSchema,
  imageSchema,
  htmlContentSchema,
  textContentSchema,
  attachmentSchema,
  headerFieldSchema,
  metadataSchema,
  summarySchema,
  deliverySchema,
  segmentationSchema,
  messageSchema,
  retentionSchema,
  quotaSchema,
  usageSchema,
  serverSchema,
  newServerSchema,
  passwordSchema,
  keySchema,
  newKeySchema,
  verifiedAddressSchema,
  numberSchema,
  phrasesSchema,
  zoneSchema,
  deviceSchema,
  passwordOfDeviceSchema,
  usageLimitSchema,
  usageLimitsSchema,
  transactionSchema,
  spamRuleSchema,
  spamAnalysisSchema,
  verdictSchema,
  deliverabilitySchema,
  lintFindingSchema,
  lintReportSchema,
  emailClientSchema,
  previewSchema,
  formerClientSchema,
  auditEntrySchema,
  taskSchema,
  statusSchema,
  errorSchema,
];

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the OpenAPI document says of the route. */
    readonly description?: FastifySchema;
  }
}

/**
 * Writes the document of some routes as UTF-8 JSON. What writes it is loaded by this call and forgotten after it: it would
 * be a tenth of the time that the service takes to start, and few ever ask.
 */
export async function writeOpenApi(routes: readonly Route[]): Promise<Uint8Array> {
  const { default: swagger } = await import("@fastify/swagger");
  const { completeDocument } = await import("./documentation/complete-document.ts");
  const instance = fastify();
  for (const schema of components) instance.addSchema(schema);
  await instance.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "restante",
        version: "1",
        description: "A self-hosted message store for people who test e-mail and SMS.",
        license: { name: "MIT", identifier: "MIT" },
      },
      components: {
        securitySchemes: {
          basic: { type: "http", scheme: "basic", description: "The key as user name, or as password of any user." },
          bearer: { type: "http", scheme: "bearer", description: "The key." },
        },
      },
    },
    refResolver: { buildLocalReference: (json) => nameOf(json["$id"]) },
    transform: ({ route, url }) => ({ schema: route.config?.description ?? { hide: true }, url }),
  });
  for (const route of routes) {
    const { method, path: url } = route;
    instance.route({ method, url, handler: () => undefined, config: { description: describeRoute(route) } });
  }
  await instance.ready();
  const document = instance.swagger();
  completeDocument(document as unknown as Record<string, unknown>);
  await instance.close();
  return Buffer.from(JSON.stringify(document), "utf8");
}

/** What the document says of a route; hidden where the route has no operation id. */
function describeRoute(route: Route): FastifySchema {
  if (route.operationId === null) return { hide: true };
  const isOpen = route.access === "open" || route.access === "local";
  const security = [{ basic: [] }, { bearer: [] }];
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [tagOf(route.path)],
    security: route.access === "open" ? [] : isOpen ? [{}, ...security] : security,
    ...(route.path.includes("/:id") && { params: pathSchema }),
    ...(route.query !== undefined && { querystring: querySchema(route.query) }),
    ...(route.body !== undefined && { body: route.body.schema, consumes: ["application/json"] }),
    response: {
      ...Object.fromEntries(route.successes.map((success) => [success.status, describeSuccess(success)])),
      ...Object.fromEntries(problemsOf(route).map(describeProblems)),
    },
  };
}

/** Every status that the route may refuse with, and the problems behind it. */
export function problemsOf(route: Route): readonly (readonly [status: number, codes: readonly ProblemCode[]])[] {
  const codes = new Set<ProblemCode>(route.problems);
  if (route.access !== "open") codes.add("unauthenticated").add("too_many_requests");
  if (route.body !== undefined) codes.add("invalid_request").add("body_too_large").add("unsupported_media_type");
  codes.add("forbidden").add("internal").add("unavailable");
  const byStatus = Map.groupBy(codes, (code) => catalogue[code].status);
  return Array.from(byStatus).toSorted(([one], [other]) => one - other);
}

const pathSchema = build.Object({ id: build.String({ description: "Id of the thing that the path names." }) });

function querySchema(parameters: NonNullable<Route["query"]>): WireSchema<unknown> {
  const properties = parameters.map(({ name, description, schema }) => [name, { ...schema, description }] as const);
  const required = parameters.filter((one) => one.isRequired === true).map((one) => one.name);
  return build.Unsafe<unknown>({ type: "object", properties: Object.fromEntries(properties), required });
}

function describeSuccess(success: Success): object {
  const { description, contentType = "application/json", schema } = success;
  if (success.status === 204 || success.status === 304) return { description, type: "null" };
  const content = schema === undefined ? build.Unsafe<unknown>({}) : pointTo(schema);
  return { description, headers: describeHeaders(success), content: { [contentType]: { schema: content } } };
}

function describeHeaders({ headers = {} }: Success): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { type: "string", description }]),
  );
}

function describeProblems([status, codes]: readonly [number, readonly ProblemCode[]]): readonly [number, object] {
  const description = codes.map((code) => `${catalogue[code].text} (\`${code}\`).`).join(" ");
  return [status, { description, content: { "application/json": { schema: refer(errorSchema) } } }];
}

function pointTo(schema: WireSchema<unknown>): WireSchema<unknown> {
  return shapeOf(schema).$id === undefined ? schema : refer(schema);
}

function nameOf(id: unknown): string {
  return typeof id === "string" ? id : "Unnamed";
}

function tagOf(path: string): string {
  const [, root, resource] = path.split("/");
  return root === "api" ? (resource ?? "service") : "service";
}
