import { invalidField } from "../../../core/errors.ts";
import { deleteMessages } from "../../../operations/messages/delete-messages.ts";
import { auditedAct, deletedCount } from "../../audit.ts";
import { jsonResponse } from "../../http-response.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { build, schemaOf } from "../../wire/schema.ts";

/** Most messages of a request. */
const idCountMax = 1000;

const requestSchema = schemaOf<{ readonly ids: readonly string[] }>()(
  build.object({ ids: build.array(build.string()) }),
);

/** `POST /web/servers/:id/deletions`: deletes up to 1000 messages of a server by their ids. */
export const deletionsRoute: KeyRoute = {
  method: "POST",
  path: "/web/servers/:id/deletions",
  operationId: null,
  summary: "Delete messages of a server by their ids.",
  access: "key",
  audit: (call, response) =>
    auditedAct("message.delete_matching", { server: call.id, details: { deleted: deletedCount(response) } }),
  body: { schema: requestSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The number of deleted messages, and the ids of those that failed." }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    const { ids } = decodeBody(requestSchema, call.body);
    if (ids.length > idCountMax) throw invalidField("ids", `At most ${String(idCountMax)} ids`);
    const request = { server: call.id, ids, signal: call.signal() };
    return jsonResponse(await deleteMessages(call.context, call.principal, request));
  },
};
