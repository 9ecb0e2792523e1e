/** OpenAPI 3.1 document of the API, generated from the route table. */
import { catalogue, type ProblemCode } from "../core/errors.ts";
import type { QueryParameter, Route, Success } from "./route.ts";
import { deliverabilitySchema, spamAnalysisSchema, spamRuleSchema, verdictSchema } from "./wire/analysis-schema.ts";
import { auditEntrySchema } from "./wire/audit-schema.ts";
import {
  callbackFormatSchema,
  callbackFormatsSchema,
  eventWebhookSchema,
  inboundRouteSchema,
  webhookSchema,
} from "./wire/callback-schema.ts";
import {
  callbackAttemptSchema,
  callbackDeliverySchema,
  callbackDetailSchema,
  madeDeliveriesSchema,
  replayedSchema,
} from "./wire/delivery-schema.ts";
import { deviceSchema, passwordOfDeviceSchema } from "./wire/device-schema.ts";
import { errorSchema } from "./wire/error-schema.ts";
import { keySchema, newKeySchema } from "./wire/key-schema.ts";
import {
  explainedSearchSchema,
  failedCriterionSchema,
  nearMissSchema,
  searchExplanationSchema,
} from "./wire/explanation-schema.ts";
import { journeyFailureSchema, journeyResultSchema, stepResultSchema } from "./wire/journey-schema.ts";
import { lintFindingSchema, lintReportSchema } from "./wire/lint-schema.ts";
import {
  attachmentSchema,
  codeSchema,
  contactSchema,
  deliverySchema,
  providerOriginSchema,
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
import { refer, type SchemaShape, type WireSchema } from "./wire/schema.ts";
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
import { transcriptEntrySchema, transcriptSchema } from "./wire/transcript-schema.ts";
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
  failedCriterionSchema,
  nearMissSchema,
  searchExplanationSchema,
  explainedSearchSchema,
  stepResultSchema,
  journeyFailureSchema,
  journeyResultSchema,
  deliverySchema,
  providerOriginSchema,
  segmentationSchema,
  messageSchema,
  transcriptEntrySchema,
  transcriptSchema,
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
  webhookSchema,
  eventWebhookSchema,
  inboundRouteSchema,
  callbackFormatSchema,
  callbackFormatsSchema,
  callbackAttemptSchema,
  callbackDeliverySchema,
  callbackDetailSchema,
  madeDeliveriesSchema,
  replayedSchema,
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

/** JSON object of the document. */
type Json = Readonly<Record<string, unknown>>;

/** Returns the OpenAPI document of some routes as UTF-8 JSON. Routes without an operation id are left out. */
export async function writeOpenApi(routes: readonly Route[]): Promise<Uint8Array> {
  // Loaded on demand: the document is requested rarely, and its texts are large.
  const { completeDocument } = await import("./documentation/complete-document.ts");
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    if (route.operationId === null) continue;
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
    components: {
      securitySchemes: {
        basic: { type: "http", scheme: "basic", description: "The key as user name, or as password of any user." },
        bearer: { type: "http", scheme: "bearer", description: "The key." },
      },
      schemas: Object.fromEntries(components.map(({ $id = "", ...schema }) => [$id, schema])),
    },
    paths,
  };
  // A copy in which no two members share an object, since completion writes into it.
  const document = JSON.parse(JSON.stringify(described)) as Record<string, unknown>;
  completeDocument(document);
  return Buffer.from(JSON.stringify(document), "utf8");
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
      requestBody: { required: true, content: { "application/json": { schema: route.body.schema } } },
    }),
    security: route.access === "open" ? [] : isOpen ? [{}, ...security] : security,
    responses: {
      ...Object.fromEntries(route.successes.map((success) => [success.status, describeSuccess(success)])),
      ...Object.fromEntries(problemsOf(route).map(describeProblems)),
    },
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
  return { in: "query", name, required: isRequired, description, schema };
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
