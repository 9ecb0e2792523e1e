import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const get = async (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  api.ask(`GET ${path}`, { headers });

describe("GET /api/files/email/:id", () => {
  test("returns the raw bytes, a range of them, or 304", async () => {
    const raw = "Subject: x\r\nX-Odd:  \t kept \r\n\r\nbody without an end";
    const id = await api.deliver(server, { raw });
    const whole = await get(`/api/files/email/${id}`);
    expect([whole.statusCode, whole.body]).toEqual([200, raw]);
    expect(whole.headers).toMatchObject({
      "content-type": "message/rfc822",
      "content-disposition": `attachment; filename="${id}.eml"`,
      "x-content-type-options": "nosniff",
    });
    expect((await get(`/api/files/email/${id}`, { range: "bytes=0-6" })).body).toBe("Subject");
    expect((await get(`/api/files/email/${id}`, { "if-none-match": String(whole.headers["etag"]) })).statusCode).toBe(
      304,
    );
    expect((await get(`/api/files/email/${id}`, { range: "bytes=9999-" })).statusCode).toBe(416);
  });

  test.each(["x", "not_found", "6d1b9d4e-0000-4000-8000-000000000000"])("responds 404 for %s", async (id) => {
    expect((await get(`/api/files/email/${id}`)).statusCode).toBe(404);
  });
});
