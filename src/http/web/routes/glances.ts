import { invalidField } from "../../../core/errors.ts";
import { glanceMessages } from "../../../operations/glance-messages.ts";
import { jsonAnswer } from "../../answer.ts";
import { withGone, type KeyRoute } from "../../route.ts";

/** Messages that one request may ask for. */
const idCountMax = 100;

/** `GET /web/glances?ids=`: codes and sizes of up to 100 messages, for the rows of a list. */
export const glancesRoute: KeyRoute = {
  method: "GET",
  path: "/web/glances",
  operationId: null,
  summary: "Glance at several messages.",
  access: "key",
  successes: [{ status: 200, description: "The glances." }],
  problems: ["invalid_request", "not_found"],
  answer: async (call) => {
    const ids = (call.query.get("ids") ?? "").split(",").filter((id) => id !== "");
    if (ids.length > idCountMax) throw invalidField("ids", `At most ${String(idCountMax)} ids`);
    return jsonAnswer(await glanceMessages(withGone(call), call.principal, ids));
  },
};
