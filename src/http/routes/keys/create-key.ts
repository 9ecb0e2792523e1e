import { checkKeyRequest, createKey } from "../../../operations/keys/create-key.ts";
import { jsonResponse } from "../../http-response.ts";
import { responseText, auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { toWireNewKey } from "../../wire/key-json.ts";
import { keyRequestSchema, newKeySchema } from "../../wire/key-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

/** `POST /api/keys`: creates a key of the account or of one server. Its secret is never shown again. */
export const createKeyRoute: KeyRoute = {
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
