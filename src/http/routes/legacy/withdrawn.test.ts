import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer } from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

describe("withdrawn endpoints respond 410 with their replacement", () => {
  test.each([
    ["GET /api/mailboxes/abcd1234/emails?search=x", "POST /api/messages/search?server=:server"],
    ["POST /api/mailboxes/abcd1234/empty", "DELETE /api/messages?server=:server"],
    ["GET /api/mailboxes", "POST /api/messages/search?server=:server"],
    ["POST /api/emails/6d1b9d4e/delete", "DELETE /api/messages/:id"],
    ["GET /api/emails/6d1b9d4e", "GET /api/messages/:id"],
    ["GET /api/attachments/6d1b9d4e", "GET /api/files/attachments/:attachment_id"],
    ["GET /api/messages/await?server=abcd1234", "POST /api/messages/search?server=:server"],
    ["POST /api/messages/await", "POST /api/messages/search?server=:server"],
    ["POST /api/messages/await/", "POST /api/messages/search?server=:server"],
  ])("%s", async (line, replacement) => {
    const reply = await api.ask(line);
    expect(reply.statusCode).toBe(410);
    const body = reply.json<{ message: string }>();
    expect(body).toMatchObject({ type: "Gone", status: 410, errors: [] });
    expect(body.message).toContain(replacement);
    expect(body.message).toContain("2022-05-11");
  });

  test("respond 405 for methods that they never had", async () => {
    expect((await api.ask("PATCH /api/emails/x")).statusCode).toBe(405);
  });

  test("respond 404 for paths that only start alike", async () => {
    expect((await api.ask("GET /api/mailboxesx")).statusCode).toBe(404);
  });
});
