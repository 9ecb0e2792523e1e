import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../../core/message.ts";
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

/** Delivers a mail with one attachment and returns the attachment's path. */
async function attach(header: string, content = "0123456789"): Promise<string> {
  const raw = `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\n${header}\r\n\r\n${content}\r\n--b--\r\n`;
  const id = await api.deliver(server, { raw });
  const [attachment] = (await api.ask(`GET /api/messages/${id}`)).json<Message>().attachments;
  return `/api/files/attachments/${attachment?.id ?? ""}`;
}

const get = async (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  api.ask(`GET ${path}`, { headers });

describe("GET /api/files/attachments/:id", () => {
  test("returns the decoded bytes as a download", async () => {
    const path = await attach(
      'Content-Type: image/png\r\nContent-Disposition: attachment; filename="Ünïcode \\"cat\\".png"\r\nContent-Transfer-Encoding: base64',
      "AAEC\r\nAw==",
    );
    const reply = await get(path);
    expect([reply.statusCode, reply.rawPayload]).toEqual([200, Buffer.of(0, 1, 2, 3)]);
    expect(reply.headers).toMatchObject({
      "content-type": "image/png",
      "content-length": "4",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "private, no-cache",
      "accept-ranges": "bytes",
    });
    expect(reply.headers["content-disposition"]).toMatch(
      /^attachment; filename="_n_code _cat_.png"; filename\*=UTF-8''/,
    );
  });

  test.each(["text/html", "image/svg+xml", "application/xhtml+xml", "text/xml", "application/javascript", "nonsense"])(
    "sends %s as application/octet-stream",
    async (contentType) => {
      const reply = await get(
        await attach(`Content-Type: ${contentType}\r\nContent-Disposition: attachment; filename=a`),
      );
      expect(reply.headers["content-type"]).toBe("application/octet-stream");
      expect(reply.headers["content-disposition"]).toMatch(/^attachment/);
    },
  );

  test("returns a single range, or 416", async () => {
    const path = await attach("Content-Disposition: attachment; filename=a.bin");
    const part = await get(path, { range: "bytes=2-4" });
    expect([part.statusCode, part.body, part.headers["content-range"]]).toEqual([206, "234", "bytes 2-4/10"]);
    const end = await get(path, { range: "bytes=-3" });
    expect([end.statusCode, end.body, end.headers["content-length"]]).toEqual([206, "789", "3"]);
    const outside = await get(path, { range: "bytes=10-" });
    expect([outside.statusCode, outside.headers["content-range"]]).toEqual([416, "bytes */10"]);
    expect(outside.json()).toMatchObject({ type: "RangeNotSatisfiable", status: 416, errors: [] });
    expect((await get(path, { range: "bytes=0-1,3-4" })).statusCode).toBe(200);
  });

  test("ignores a range when If-Range differs, and for HEAD", async () => {
    const path = await attach("Content-Disposition: attachment; filename=a.bin");
    const etag = String((await get(path)).headers["etag"]);
    expect((await get(path, { range: "bytes=0-1", "if-range": etag })).statusCode).toBe(206);
    expect((await get(path, { range: "bytes=0-1", "if-range": '"other"' })).statusCode).toBe(200);
    expect((await get(path, { range: "bytes=0-1", "if-range": "Sat, 01 Jan 2000 00:00:00 GMT" })).statusCode).toBe(200);
    const head = await api.ask(`HEAD ${path}`, { headers: { range: "bytes=0-1" } });
    expect([head.statusCode, head.headers["content-length"]]).toEqual([200, "10"]);
  });

  test("responds 304 when the client has the content", async () => {
    const path = await attach("Content-Disposition: attachment; filename=a.bin");
    const etag = String((await get(path)).headers["etag"]);
    for (const field of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const reply = await get(path, { "if-none-match": field });
      expect([reply.statusCode, reply.body, reply.headers["etag"]]).toEqual([304, "", etag]);
    }
    expect((await get(path, { "if-none-match": '"other"' })).statusCode).toBe(200);
  });

  test("returns an empty attachment, and 416 for any range of it", async () => {
    const path = await attach("Content-Disposition: attachment; filename=empty.bin", "");
    expect((await get(path)).body).toBe("");
    expect((await get(path, { range: "bytes=0-" })).statusCode).toBe(416);
  });

  test.each(["x", "not_found", "6d1b9d4e-0000-4000-8000-000000000000", "..%2f..%2fetc%2fpasswd"])(
    "responds 404 for %s",
    async (id) => {
      expect((await get(`/api/files/attachments/${id}`)).statusCode).toBe(404);
    },
  );

  test("responds 404 for the id of a message and for ids beyond the last attachment", async () => {
    const message = await api.deliver(server);
    expect((await get(`/api/files/attachments/${message}`)).statusCode).toBe(404);
    const path = await attach("Content-Disposition: attachment; filename=a.bin");
    const last = path.slice(-3);
    const beyond = (Number.parseInt(last, 16) + 1).toString(16).padStart(3, "0").slice(-3);
    expect((await get(`${path.slice(0, -3)}${beyond}`)).statusCode).toBe(404);
  });
});
