import { afterAll, beforeAll, expect, test } from "vitest";
import type { MessageId } from "../../../core/ids.ts";
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
