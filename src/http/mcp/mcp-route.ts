import { jsonBodyBytesMax, type KeyRoute } from "../route.ts";
import { build } from "../wire/schema.ts";

/**
 * `POST /mcp`: a message of an MCP client. Any key may call it: each tool needs the permission of the route that it
 * calls.
 */
export const mcpRoute: KeyRoute = {
  method: "POST",
  path: "/mcp",
  operationId: null,
  summary: "Call tools over the Model Context Protocol.",
  access: "key",
  permission: "any",
  body: { schema: build.freeObject(), bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "A JSON-RPC response, as JSON or as Server-Sent Events." }],
  problems: ["invalid_request"],
  respond: async (call) => call.mcp.respond(call),
};
