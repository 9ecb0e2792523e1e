import { accountRoute } from "../rows.ts";
import type { KeyRoute } from "../../route.ts";
import {
  checkKeyRequest,
  createKey,
  keyRequestSchema,
  listKeys,
  revokeKey,
  rotateKey,
  rotationSchema,
} from "../../../operations/keys/keys.ts";
import { keySchema, newKeySchema, toWireKey, toWireNewKey } from "../../wire/account-schema.ts";
import { listOf } from "../../../core/schema.ts";
import { auditedAct, responseText } from "../../audit.ts";

/** Routes below `/api/keys`. */
export const keyRoutes: readonly KeyRoute[] = [
  accountRoute("listKeys", "GET /api/keys", {
    summary: "List the keys, oldest first.",
    returns: ["The keys, without their secrets.", listOf(keySchema)],
    run: async ({ context, principal }) => (await listKeys(context, principal)).map(toWireKey),
  }),
  accountRoute("createKey", "POST /api/keys", {
    summary: "Create a key of the account or of one server.",
    body: keyRequestSchema,
    check: (fields, _wrong, { context }) => {
      checkKeyRequest(context, fields);
    },
    audit: (_call, response) =>
      auditedAct("key.create", {
        target: responseText(response, "id"),
        server: responseText(response, "server"),
        details: { scope: responseText(response, "scope") ?? "full" },
      }),
    returns: ["The key with its secret, shown only here.", newKeySchema],
    problems: ["not_found"],
    run: async ({ context, principal }, request) => toWireNewKey(await createKey(context, principal, request)),
  }),
  accountRoute("rotateKey", "POST /api/keys/:id/rotate", {
    summary: "Replace the secret of a key; the current one stays valid for a grace period.",
    body: rotationSchema,
    audit: (call, response) => auditedAct("key.rotate", { target: call.id, server: responseText(response, "server") }),
    returns: ["The key with its new secret, shown only here.", newKeySchema],
    problems: ["conflict"],
    run: async ({ context, principal, id }, { graceSeconds }) => {
      const rotation = { id, ...(graceSeconds === undefined ? {} : { graceSeconds }) };
      return toWireNewKey(await rotateKey(context, principal, rotation));
    },
  }),
  accountRoute("revokeKey", "DELETE /api/keys/:id", {
    summary: "Revoke a key; a key cannot revoke itself.",
    audit: (call) => auditedAct("key.revoke", { target: call.id }),
    returns: ["Revoked."],
    problems: ["conflict"],
    run: async ({ context, principal, id }) => revokeKey(context, principal, id),
  }),
];
