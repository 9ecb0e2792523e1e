import { invalidField } from "../../../core/errors.ts";
import { findPassages, type PassagesRequest } from "../../../operations/messages/find-passages.ts";
import { jsonResponse } from "../../http-response.ts";
import { jsonBodyBytesMax, withSignal, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { build, schemaOf } from "../../wire/schema.ts";

/** Most messages of a request: a screen has fewer rows. */
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
