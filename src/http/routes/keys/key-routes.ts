import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { checkKeyRequest, createKey, listKeys, revokeKey, rotateKey } from "../../../operations/keys/keys.ts";
import {
  keyRequestSchema,
  keySchema,
  newKeySchema,
  rotationSchema,
  toWireKey,
  toWireNewKey,
} from "../../wire/account-schema.ts";
import { listResponse } from "../../lists/page-response.ts";
import { listOf } from "../../../core/schema.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { auditedAct, responseText } from "../../audit.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

/** `DELETE /api/keys/:id`: revokes a key at once. */
const revokeKeyRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/keys/:id",
  operationId: "revokeKey",
  summary: "Revoke a key; a key cannot revoke itself.",
  access: "account",
  audit: (call) => auditedAct("key.revoke", { target: call.id }),
  successes: [{ status: 204, description: "Revoked." }],
  problems: ["not_found", "conflict", "storage_full"],
  respond: async (call) => {
    await revokeKey(call.context, call.principal, call.id);
    return noContent;
  },
};

/** `POST /api/keys/:id/rotate`: replaces the secret of a key; the current one stays valid for a grace period. */
const rotateKeyRoute: KeyRoute = {
  method: "POST",
  path: "/api/keys/:id/rotate",
  operationId: "rotateKey",
  summary: "Replace the secret of a key; the current one stays valid for a grace period.",
  access: "account",
  audit: (call, response) => auditedAct("key.rotate", { target: call.id, server: responseText(response, "server") }),
  body: { schema: rotationSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The key with its new secret, shown only here.", schema: newKeySchema }],
  problems: ["invalid_request", "not_found", "conflict", "storage_full"],
  respond: async (call) => {
    const { graceSeconds } = decodeBody(rotationSchema, call.body ?? {});
    const rotation = { id: call.id, ...(graceSeconds === undefined ? {} : { graceSeconds }) };
    return jsonResponse(toWireNewKey(await rotateKey(call.context, call.principal, rotation)));
  },
};

/** `POST /api/keys`: creates a key of the account or of one server. Its secret is never shown again. */
const createKeyRoute: KeyRoute = {
  method: "POST",
  path: "/api/keys",
  operationId: "createKey",
  summary: "Create a key of the account or of one server.",
  access: "account",
  audit: (_call, response) =>
    auditedAct("key.create", {
      target: responseText(response, "id"),
      server: responseText(response, "server"),
      details: { scope: responseText(response, "scope") ?? "full" },
    }),
  body: { schema: keyRequestSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The key with its secret, shown only here.", schema: newKeySchema }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    const request = decodeBody(keyRequestSchema, call.body, (fields) => {
      checkKeyRequest(call.context, fields);
    });
    return jsonResponse(toWireNewKey(await createKey(call.context, call.principal, request)));
  },
};

/** `GET /api/keys`: all keys, oldest first, without their secrets. */
const listKeysRoute: KeyRoute = {
  method: "GET",
  path: "/api/keys",
  operationId: "listKeys",
  summary: "List the keys, oldest first.",
  access: "account",
  successes: [{ status: 200, description: "The keys, without their secrets.", schema: listOf(keySchema) }],
  problems: [],
  respond: async (call) => listResponse(call, (await listKeys(call.context, call.principal)).map(toWireKey)),
};

/** Routes below `/api/keys`. */
export const keyRoutes: readonly KeyRoute[] = [listKeysRoute, createKeyRoute, rotateKeyRoute, revokeKeyRoute];
