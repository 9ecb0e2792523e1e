import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

describe("DELETE /api/messages/:id", () => {
  test("deletes message, raw bytes and attachments, and leaves others", async () => {
    const raw = "Content-Type: image/png\r\nContent-Disposition: attachment; filename=a.png\r\n\r\nhi\r\n";
    const id = await api.deliver(server, { raw });
    const other = await api.deliver(server);
    const [attachment] = (await api.ask(`GET /api/messages/${id}`)).json<{ attachments: { id: string }[] }>()
      .attachments;
    const reply = await api.ask(`DELETE /api/messages/${id}`, { headers: { "content-type": "application/json" } });
    expect([reply.statusCode, reply.body, reply.headers["content-length"]]).toEqual([204, "", undefined]);
    const deletedPaths = [`messages/${id}`, `files/email/${id}`, `files/attachments/${attachment?.id ?? "?"}`];
    for (const path of deletedPaths) expect((await api.ask(`GET /api/${path}`)).statusCode).toBe(404);
    expect((await api.ask(`GET /api/messages/${other}`)).statusCode).toBe(200);
  });

  test("responds 404 when it is repeated", async () => {
    const id = await api.deliver(server);
    expect((await api.ask(`DELETE /api/messages/${id}`)).statusCode).toBe(204);
    expect((await api.ask(`DELETE /api/messages/${id}`)).statusCode).toBe(404);
  });

  test.each(["not_found", "6d1b9d4e-0000-4000-8000-000000000000"])("responds 404 for %s", async (id) => {
    expect((await api.ask(`DELETE /api/messages/${id}`)).statusCode).toBe(404);
  });
});
