import {
  checkWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  pingWebhook,
  rotateWebhookSecret,
  selectsAll,
  updateWebhook,
} from "../../../operations/callbacks/webhooks.ts";
import { auditedAct, responseText } from "../../audit.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { listResponse } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute } from "../../route.ts";
import {
  toWireTarget,
  webhookChangeSchema,
  webhookRequestSchema,
  webhookSchema,
  webhookSecretSchema,
} from "../../wire/callback-schema.ts";
import { callbackDeliverySchema, toWireDelivery } from "../../wire/delivery-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { listOf } from "../../../core/schema.ts";

const path = "/api/servers/:id/webhooks";
const onePath = `${path}/:webhook`;

function pathOf({ id, params }: KeyCall): { readonly server: string; readonly target: string } {
  return { server: id, target: params["webhook"] ?? "" };
}

/** Routes below `/api/servers/:id/webhooks`. */
export const webhookRoutes: readonly KeyRoute[] = [
  {
    method: "GET",
    path,
    operationId: "listWebhooks",
    summary: "List the webhooks of a server.",
    access: "key",
    successes: [{ status: 200, description: "The webhooks, oldest first.", schema: listOf(webhookSchema) }],
    problems: ["not_found"],
    respond: async (call) => {
      const webhooks = await listWebhooks(call.context, call.principal, call.id);
      return listResponse(call, webhooks.map(toWireTarget));
    },
  },
  {
    method: "POST",
    path,
    operationId: "createWebhook",
    audit: (call, response) => auditedAct("webhook.create", { target: responseText(response, "id"), server: call.id }),
    summary: "Create a webhook, by which the application is called about messages of a server.",
    access: "key",
    body: { schema: webhookRequestSchema, required: ["url"], bytesMax: jsonBodyBytesMax },
    successes: [
      { status: 200, description: "The webhook with its secret, which is shown once.", schema: webhookSchema },
    ],
    problems: ["invalid_request", "not_found", "limit_reached", "storage_full"],
    respond: async (call) => {
      const request = decodeBody(webhookRequestSchema, call.body, ({ secret, state: _state, ...change }, wrong) => {
        const url = wrong.has("url") ? undefined : change.url;
        checkWebhook(call.context, { ...selectsAll, url }, { change, secret });
      });
      return jsonResponse(
        toWireTarget(await createWebhook(call.context, call.principal, { server: call.id, request })),
      );
    },
  },
  {
    method: "GET",
    path: onePath,
    operationId: "getWebhook",
    summary: "Retrieve a webhook.",
    access: "key",
    successes: [{ status: 200, description: "The webhook.", schema: webhookSchema }],
    problems: ["not_found"],
    respond: async (call) => jsonResponse(toWireTarget(await getWebhook(call.context, call.principal, pathOf(call)))),
  },
  {
    method: "PUT",
    path: onePath,
    operationId: "updateWebhook",
    audit: (call) =>
      auditedAct("webhook.update", {
        target: pathOf(call).target,
        server: call.id,
        details: { fields: Object.keys(decodeBody(webhookChangeSchema, call.body)) },
      }),
    summary: "Change a webhook: the members that are given.",
    access: "key",
    body: { schema: webhookChangeSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The webhook as it is now.", schema: webhookSchema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const change = decodeBody(webhookChangeSchema, call.body);
      return jsonResponse(toWireTarget(await updateWebhook(call.context, call.principal, { ...pathOf(call), change })));
    },
  },
  {
    method: "DELETE",
    path: onePath,
    operationId: "deleteWebhook",
    audit: (call) => auditedAct("webhook.delete", { target: pathOf(call).target, server: call.id }),
    summary: "Delete a webhook with its deliveries.",
    access: "key",
    successes: [{ status: 204, description: "Deleted." }],
    problems: ["not_found", "storage_full"],
    respond: async (call) => {
      await deleteWebhook(call.context, call.principal, pathOf(call));
      return noContent;
    },
  },
  {
    method: "POST",
    path: `${onePath}/secret`,
    operationId: "rotateWebhookSecret",
    audit: (call) => auditedAct("webhook.rotate", { target: pathOf(call).target, server: call.id }),
    summary: "Replace the secret of a webhook; the old one signs too for 24 hours.",
    access: "key",
    body: { schema: webhookSecretSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The webhook with its new secret.", schema: webhookSchema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const { secret } = decodeBody(webhookSecretSchema, call.body);
      const webhook = await rotateWebhookSecret(call.context, call.principal, { ...pathOf(call), secret });
      return jsonResponse(toWireTarget(webhook));
    },
  },
  {
    method: "POST",
    path: `${onePath}/ping`,
    operationId: "pingWebhook",
    permission: "send",
    summary: "Send the event `ping` to a webhook.",
    access: "key",
    successes: [{ status: 201, description: "The delivery.", schema: callbackDeliverySchema }],
    problems: ["not_found", "limit_reached", "storage_full"],
    respond: async (call) => {
      const delivery = await pingWebhook(call.context, call.principal, pathOf(call));
      return { ...jsonResponse(toWireDelivery(delivery)), status: 201 };
    },
  },
];
