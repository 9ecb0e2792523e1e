import { listKeys } from "../../../operations/keys/list-keys.ts";
import type { KeyRoute } from "../../route.ts";
import { toWireKey } from "../../wire/key-json.ts";
import { keySchema } from "../../wire/key-schema.ts";
import { listResponse } from "../../lists/page-response.ts";
import { listOf } from "../../wire/schema.ts";

/** `GET /api/keys`: all keys, oldest first, without their secrets. */
export const listKeysRoute: KeyRoute = {
  method: "GET",
  path: "/api/keys",
  operationId: "listKeys",
  summary: "List the keys, oldest first.",
  access: "account",
  successes: [{ status: 200, description: "The keys, without their secrets.", schema: listOf(keySchema) }],
  problems: [],
  respond: async (call) => listResponse(call, (await listKeys(call.context, call.principal)).map(toWireKey)),
};
