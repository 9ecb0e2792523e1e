import { jsonType } from "../../http-response.ts";
import type { OpenRoute } from "../../route.ts";

/** `GET /openapi.json`: the API as an OpenAPI 3.1 document. It contains no data, so it needs no key. */
export const openApiRoute: OpenRoute = {
  method: "GET",
  path: "/openapi.json",
  operationId: "getOpenApiDocument",
  summary: "Retrieve the OpenAPI 3.1 document of this API.",
  access: "open",
  successes: [{ status: 200, description: "The document." }],
  problems: [],
  respond: async (call) => {
    const document = await call.openApiJson();
    return { status: 200, headers: { "content-type": jsonType }, body: [document] };
  },
};
