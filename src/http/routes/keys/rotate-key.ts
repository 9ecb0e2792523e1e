import { rotateKey } from "../../../operations/keys/rotate-key.ts";
import { jsonResponse } from "../../http-response.ts";
import { responseText, auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { toWireNewKey } from "../../wire/key-json.ts";
import { newKeySchema, rotationSchema } from "../../wire/key-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

/** `POST /api/keys/:id/rotate`: replaces the secret of a key; the current one stays valid for a grace period. */
export const rotateKeyRoute: KeyRoute = {
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
