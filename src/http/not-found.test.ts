/** Texts of 404 responses. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer } from "../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
beforeAll(async () => (api = await openHttpTestServer()));
afterAll(async () => api[Symbol.asyncDispose]());

const id = randomUUID();
test.each([
  [`GET /api/messages/${id}`, "Message not found"],
  ["GET /api/messages/no-uuid", "Message not found"],
  [`GET /api/files/email/${id}`, "Message not found"],
  [`GET /api/files/attachments/${id}`, "Attachment not found"],
  ["GET /api/servers/nosuchid", "Server not found"],
  ["GET /api/messages?server=nosuchid", "Server not found"],
  [`DELETE /api/keys/${id}`, "Key not found"],
  [`DELETE /api/devices/${id}`, "Device not found"],
  [`DELETE /api/phone-numbers/${id}`, "Phone number not found"],
  [`DELETE /api/verified-addresses/${id}`, "Verified address not found"],
  ["GET /api/nothing", "Path not found"],
  ["GET /api/analysis/spam/x", "Message not found"],
] as const)("%s names what was not found: %s", async (request, message) => {
  const reply = await api.ask(request);
  expect(reply.statusCode).toBe(404);
  expect(reply.json()).toEqual({ type: "NotFound", status: 404, message, errors: [] });
});
