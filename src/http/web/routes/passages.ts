/** Routes for the rows of lists. */
import { invalidField } from "../../../core/errors.ts";
import { excerptMessages, findPassages, type PassagesRequest } from "../../../operations/messages/excerpt-messages.ts";
import { jsonResponse } from "../../http-response.ts";
import { jsonBodyBytesMax, type KeyRoute, withSignal } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { build, schemaOf } from "../../wire/schema.ts";

/** Largest number of messages of a request: a screen has fewer rows. */
const idCountMax = 100;
/** Most terms of a request. */
const termCountMax = 20;
const termLengthMax = 1000;

const requestSchema = schemaOf<PassagesRequest>()(
  build.object({
    ids: build.array(build.string()),
    terms: build.array(build.string()),
  }),
);

/** `POST /web/passages`: the part of the text of several messages that a search found, for the rows of a list. */
export const passagesRoute: KeyRoute = {
  method: "POST",
  path: "/web/passages",
  operationId: null,
  summary: "Fetch the part of the text of several messages that contains a term.",
  access: "key",
  permission: "read",
  body: { schema: requestSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The passages of the messages that have one." }],
  problems: ["invalid_request", "not_found", "unavailable"],
  respond: async (call) => {
    const request = decodeBody(requestSchema, call.body);
    if (request.ids.length > idCountMax) throw invalidField("ids", `At most ${String(idCountMax)} ids`);
    if (request.terms.length > termCountMax || request.terms.some((term) => term.length > termLengthMax)) {
      throw invalidField("terms", `At most ${String(termCountMax)} terms of ${String(termLengthMax)} characters each`);
    }
    return jsonResponse(await findPassages(withSignal(call), call.principal, request));
  },
};

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
