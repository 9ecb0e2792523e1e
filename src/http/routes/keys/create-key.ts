import { createKey } from "../../../operations/create-key.ts";
import { jsonAnswer } from "../../answer.ts";
import { answeredText, auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { toWireNewKey } from "../../wire/key-json.ts";
import { keyRequestSchema, newKeySchema } from "../../wire/key-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

/** `POST /api/keys`: a new key, for the account or for one server; its secret is shown here and never again. */
export const createKeyRoute: KeyRoute = {
  method: "POST",
  path: "/api/keys",
  operationId: "createKey",
  summary: "Make a key for the account or for one server.",
  access: "account",
  audit: (_call, answer) =>
    auditedAct("key.create", {
      target: answeredText(answer, "id"),
      server: answeredText(answer, "server"),
      details: { scope: answeredText(answer, "scope") ?? "full" },
    }),
  body: { schema: keyRequestSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The key with its secret, shown only here.", schema: newKeySchema }],
  problems: ["invalid_request", "not_found", "storage_full"],
  answer: async (call) => {
    const request = decodeBody(keyRequestSchema, call.body);
    return jsonAnswer(toWireNewKey(await createKey(call.context, call.principal, request)));
  },
};
