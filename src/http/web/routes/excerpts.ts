import { invalidField } from "../../../core/errors.ts";
import { excerptMessages } from "../../../operations/messages/excerpt-messages.ts";
import { jsonResponse } from "../../http-response.ts";
import { withSignal, type KeyRoute } from "../../route.ts";

/** Largest number of messages in one request. */
const idCountMax = 100;

/** `GET /web/glances?ids=`: codes, sizes, inline parts, file names, flags and tags of up to 100 messages, for the rows of a list. */
export const excerptsRoute: KeyRoute = {
  method: "GET",
  path: "/web/glances",
  operationId: null,
  summary: "Fetch codes, sizes, flags and tags of several messages.",
  access: "key",
  successes: [{ status: 200, description: "The excerpts." }],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const ids = (call.query.get("ids") ?? "").split(",").filter((id) => id !== "");
    if (ids.length > idCountMax) throw invalidField("ids", `At most ${String(idCountMax)} ids`);
    return jsonResponse(await excerptMessages(withSignal(call), call.principal, ids));
  },
};
