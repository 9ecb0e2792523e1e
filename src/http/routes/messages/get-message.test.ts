import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../../core/message.ts";
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

describe("GET /api/messages/:id", () => {
  test("returns the full message, with no null in place of a list", async () => {
    const raw =
      "From: App <App@Sender.example>\r\nTo: Someone <someone@x.example>\r\nSubject: Code\r\n" +
      "Content-Type: text/html\r\n\r\n<p>Your code is <b>804 219</b></p><a href=https://x.example/a><img src=cid:1></a>\r\n";
    const id = await api.deliver(server, { raw, to: "hidden@x.example" });
    const message = (await api.ask(`GET /api/messages/${id}`)).json<Message>();
    expect(message).toMatchObject({
      id,
      type: "Email",
      server: server.id,
      subject: "Code",
      from: [{ name: "App", email: "App@Sender.example", phone: null }],
      to: [{ name: "Someone", email: "someone@x.example", phone: null }],
      cc: [],
      bcc: [{ name: "", email: "hidden@x.example", phone: null }],
      attachments: [],
      text: { links: [], codes: [], body: null },
      metadata: { ehlo: "sender.example", mailFrom: "app@sender.example" },
    });
    expect(message.html).toMatchObject({
      links: [{ href: "https://x.example/a", text: null }],
      codes: [{ value: "804219" }],
      images: [{ src: "cid:1", alt: "" }],
    });
  });

  test("returns a large body completely", async () => {
    const body = `Your code is 804 219. ${"zażółć ".repeat(40_000)}\u0001\n`;
    const raw = `Content-Type: text/plain; charset=utf-8\r\n\r\n${body.replace("\n", "\r\n")}`;
    const id = await api.deliver(server, { raw });
    const message = (await api.ask(`GET /api/messages/${id}`)).json<Message>();
    expect(message.text).toEqual({ links: [], codes: [{ value: "804219" }], body });
  });

  test("accepts ids in any letter case", async () => {
    const id = await api.deliver(server);
    expect((await api.ask(`GET /api/messages/${id.toUpperCase()}`)).json<Message>().id).toBe(id);
  });

  test("returns a working URL for each attachment", async () => {
    const raw =
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\nContent-Type: image/png; name="a.png"\r\n' +
      "Content-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\nAAECAw==\r\n--b--\r\n";
    const id = await api.deliver(server, { raw });
    const [attachment] = (await api.ask(`GET /api/messages/${id}`)).json<Message>().attachments;
    expect(attachment).toMatchObject({ contentType: "image/png", fileName: "a.png", contentId: null, length: 4 });
    const { pathname } = new URL(attachment?.url ?? "");
    expect((await api.ask(`GET ${pathname}`)).rawPayload).toEqual(Buffer.of(0, 1, 2, 3));
  });

  test.each(["x", "not_found", "6d1b9d4e-0000-4000-8000-000000000000", "%00", "%zz", "a".repeat(2000), ".."])(
    "responds 404 for %s",
    async (id) => {
      expect((await api.ask(`GET /api/messages/${id}`)).statusCode).toBe(404);
    },
  );
});
