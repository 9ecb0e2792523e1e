import { listCallbackFormats } from "../../../operations/callbacks/callback-formats.ts";
import {
  deleteEventWebhook,
  getEventWebhook,
  listEventWebhooks,
  putEventWebhook,
  rotateEventWebhookSecret,
} from "../../../operations/callbacks/event-webhooks.ts";
import { auditedAct, responseText } from "../../audit.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { listResponse } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute } from "../../route.ts";
import {
  callbackFormatsSchema,
  eventWebhookRequestSchema,
  eventWebhookSchema,
  targetSecretSchema,
  toWireTarget,
} from "../../wire/callback-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { listOf } from "../../../core/schema.ts";

const path = "/api/servers/:id/event-webhooks";
const onePath = `${path}/:provider`;

function pathOf({ id, params }: KeyCall): { readonly server: string; readonly provider: string } {
  return { server: id, provider: params["provider"] ?? "" };
}

/** Routes below `/api/servers/:id/event-webhooks`, and the formats of callbacks. */
export const eventWebhookRoutes: readonly KeyRoute[] = [
  {
    method: "GET",
    path: "/api/callback-formats",
    operationId: "getCallbackFormats",
    summary: "Retrieve the providers with event webhooks and the formats of inbound mail, with their settings.",
    access: "key",
    permission: "any",
    successes: [{ status: 200, description: "The formats.", schema: callbackFormatsSchema }],
    problems: [],
    respond: async () => jsonResponse(await listCallbackFormats()),
  },
  {
    method: "GET",
    path,
    operationId: "listEventWebhooks",
    summary: "List the event webhooks of a server.",
    access: "key",
    successes: [{ status: 200, description: "The event webhooks, oldest first.", schema: listOf(eventWebhookSchema) }],
    problems: ["not_found"],
    respond: async (call) => {
      const webhooks = await listEventWebhooks(call.context, call.principal, call.id);
      return listResponse(call, webhooks.map(toWireTarget));
    },
  },
  {
    method: "GET",
    path: onePath,
    operationId: "getEventWebhook",
    summary: "Retrieve the event webhook of a provider.",
    access: "key",
    successes: [{ status: 200, description: "The event webhook.", schema: eventWebhookSchema }],
    problems: ["not_found"],
    respond: async (call) =>
      jsonResponse(toWireTarget(await getEventWebhook(call.context, call.principal, pathOf(call)))),
  },
  {
    method: "PUT",
    path: onePath,
    operationId: "putEventWebhook",
    audit: (call, response) =>
      auditedAct("event_webhook.put", {
        target: responseText(response, "id"),
        server: call.id,
        details: { fields: Object.keys(decodeBody(eventWebhookRequestSchema, call.body)) },
      }),
    summary: "Create or change the event webhook, to which the events of a provider are delivered.",
    access: "key",
    body: { schema: eventWebhookRequestSchema, bytesMax: jsonBodyBytesMax },
    successes: [
      {
        status: 200,
        description: "The event webhook; with its secret, which is shown once, when it was made.",
        schema: eventWebhookSchema,
      },
    ],
    problems: ["invalid_request", "not_found", "conflict", "limit_reached", "storage_full"],
    respond: async (call) => {
      const request = decodeBody(eventWebhookRequestSchema, call.body);
      const webhook = await putEventWebhook(call.context, call.principal, { ...pathOf(call), request });
      return jsonResponse(toWireTarget(webhook));
    },
  },
  {
    method: "DELETE",
    path: onePath,
    operationId: "deleteEventWebhook",
    audit: (call) =>
      auditedAct("event_webhook.delete", { server: call.id, details: { provider: pathOf(call).provider } }),
    summary: "Delete the event webhook of a provider with its deliveries.",
    access: "key",
    successes: [{ status: 204, description: "Deleted." }],
    problems: ["not_found", "storage_full"],
    respond: async (call) => {
      await deleteEventWebhook(call.context, call.principal, pathOf(call));
      return noContent;
    },
  },
  {
    method: "POST",
    path: `${onePath}/secret`,
    operationId: "rotateEventWebhookSecret",
    audit: (call, response) =>
      auditedAct("event_webhook.rotate", { target: responseText(response, "id"), server: call.id }),
    summary: "Replace the secrets and keys of an event webhook.",
    access: "key",
    body: { schema: targetSecretSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The event webhook with its new secret.", schema: eventWebhookSchema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const { settings } = decodeBody(targetSecretSchema, call.body);
      const webhook = await rotateEventWebhookSecret(call.context, call.principal, { ...pathOf(call), settings });
      return jsonResponse(toWireTarget(webhook));
    },
  },
];
