import { afterAll, beforeAll, expect, test } from "vitest";
import type { MessageId } from "../../../core/ids.ts";
import type { ShownTranscript } from "../../../operations/messages/get-transcript.ts";
import { encodeEntry, encodeStart } from "../../../core/transcript.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

const startedAt = Date.UTC(2026, 10, 20, 10, 42, 7, 975);
const transcript = [
  encodeStart(startedAt),
  encodeEntry(0, "<", "220 mx.test ESMTP"),
  encodeEntry(9.6, ">", "EHLO client.example"),
  encodeEntry(10, "<", "250 mx.test"),
  encodeEntry(11, "*", "[2 earlier transactions of the session left out]"),
  encodeEntry(1200, "+", "DATA"),
].join("");

let api: HttpTestServer;
let server: TestServer;
let id: MessageId;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  id = await api.deliver(server, { transcript, session: { tls: "TLSv1.3 TLS_AES_128_GCM_SHA256" } });
});
afterAll(async () => api[Symbol.asyncDispose]());

test("returns the entries with times and speakers", async () => {
  const reply = await api.ask(`GET /api/messages/${id}/transcript`, { key: server.key });
  expect([reply.statusCode, reply.headers.vary]).toEqual([200, "Accept"]);
  expect(reply.json()).toEqual({
    message: id,
    protocol: "ESMTP",
    clientAddress: "127.0.0.1",
    tls: "TLSv1.3 TLS_AES_128_GCM_SHA256",
    startedAt: "2026-11-20T10:42:07.975Z",
    entries: [
      { at: 0, from: "server", text: "220 mx.test ESMTP", pipelined: false },
      { at: 10, from: "client", text: "EHLO client.example", pipelined: false },
      { at: 10, from: "server", text: "250 mx.test", pipelined: false },
      { at: 11, from: "service", text: "[2 earlier transactions of the session left out]", pipelined: false },
      { at: 1200, from: "client", text: "DATA", pipelined: true },
    ],
  });
});

test("returns the transcript as text", async () => {
  const headers = { accept: "text/plain" };
  const reply = await api.ask(`GET /api/messages/${id}/transcript`, { headers });
  expect(reply.headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(reply.body.split("\n")).toEqual([
    "ESMTP session of 127.0.0.1, TLSv1.3 TLS_AES_128_GCM_SHA256, started at 2026-11-20T10:42:07.975Z",
    "",
    "   0 ms  S: 220 mx.test ESMTP",
    "  10 ms  C: EHLO client.example",
    "  10 ms  S: 250 mx.test",
    "  11 ms  *  [2 earlier transactions of the session left out]",
    "1200 ms  C+ DATA",
    "",
  ]);
});

test("responds 404 for a message without a transcript, and for one of another server", async () => {
  const without = await api.ask(`GET /api/messages/${await api.deliver(server)}/transcript`);
  expect([without.statusCode, without.json<{ message: string }>().message]).toEqual([404, "Transcript not found"]);
  const other = await api.addServer();
  const foreign = await api.ask(`GET /api/messages/${id}/transcript`, { key: other.key });
  expect([foreign.statusCode, foreign.json<{ message: string }>().message]).toEqual([404, "Message not found"]);
});

test.each([
  ["POST /api/messages", `server=SERVER`, { subject: "Hello", text: "x", password: "s3cr3t" }],
  ["POST /api/messages", `server=SERVER`, { subject: "Sent", to: "a@SERVER.restante.test", send: true }],
  ["POST /api/sms", "", { from: "+15550100", to: "+15550101", text: "Code 1234" }],
])("shows the request of %s?%s", async (line, query, fields) => {
  const filled = (text: string): string => text.replaceAll("SERVER", server.id);
  const body: unknown = JSON.parse(filled(JSON.stringify(fields)));
  const path = query === "" ? line : `${line}?${filled(query)}`;
  const created = await api.ask(path, { body });
  expect(created.statusCode).toBe(200);
  const reply = await api.ask(`GET /api/messages/${created.json<{ id: string }>().id}/transcript`);
  const { entries, ...facts } = reply.json<ShownTranscript>();
  expect(facts).toMatchObject({ protocol: "HTTP/1.1", tls: null, clientAddress: "127.0.0.1" });
  const lines = entries.map(({ from, text }) => `${from} ${text}`);
  expect(lines).toEqual(
    expect.arrayContaining([
      `client ${path} HTTP/1.1`,
      "client authorization: [masked]",
      `client ${JSON.stringify(body).replace("s3cr3t", "[masked]")}`,
      "server HTTP/1.1 200 OK",
    ]),
  );
});
