/** Access to the listeners with APIs of other mail catchers, and their web sockets, over real sockets. */
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { decodeMessageId } from "../core/ids.ts";
import { addKey, newSecret } from "../operations/keys/keys.ts";
import {
  type HttpTestServer,
  type HttpTestServerOptions,
  openHttpTestServer,
  type TestServer,
} from "../testing/http-test-server.test-aid.ts";
import { until } from "../testing/until.test-aid.ts";
import { mailpit } from "./mailpit/mailpit.ts";
import { type CatcherAccess, createCatcherRouter, createCatcherUpgrade } from "./catcher-routes.ts";

interface Listener {
  readonly api: HttpTestServer;
  readonly server: TestServer;
  readonly port: number;
}

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function listen(access: Partial<CatcherAccess> = {}, changes: HttpTestServerOptions = {}): Promise<Listener> {
  const api = await openHttpTestServer(changes);
  cleanups.push(async () => api[Symbol.asyncDispose]());
  const server = await api.addServer();
  const options = { access: { name: "mailpit", server: server.id, trustsLoopback: true, ...access }, version: "0" };
  const listener = api.app.createCatcherListener(
    createCatcherRouter(mailpit, options),
    createCatcherUpgrade(mailpit, options),
  );
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return { api, server, port: (listener.address() as AddressInfo).port };
}

function basic(key: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`ci:${key}`).toString("base64")}` };
}

async function statusOf({ port }: Listener, path: string, request: RequestInit = {}): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}${path}`, request)).status;
}

function subscribe({ port }: Listener, options: ClientOptions = {}): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/events`, options);
  cleanups.push(() => {
    socket.terminate();
  });
  return socket;
}

/** Resolves with the status of a refused handshake. */
async function refusal(socket: WebSocket): Promise<number | undefined> {
  socket.on("error", () => undefined);
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, { readonly statusCode?: number }];
  return response.statusCode;
}

/** A connection over which a request is sent as it is. */
function raw({ port }: Listener, request: string): Socket {
  const socket = connect(port, "127.0.0.1", () => socket.write(request));
  socket.on("error", () => socket.destroy());
  cleanups.push(() => {
    socket.destroy();
  });
  return socket;
}

const handshake = (headers = ""): string =>
  `GET /api/events HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`;
const webSocketFields = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

async function firstBytes(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return chunk.toString("latin1");
}

describe("a key", () => {
  test("is required unless loopback is trusted, and must have access to the server", async () => {
    const listener = await listen({ trustsLoopback: false });
    const { api, server } = listener;
    const other = await api.addServer("Other");
    const addOwn = async (scope: "read" | "send"): Promise<string> => {
      const secret = newSecret();
      await addKey(api.context, { secret, name: scope, server: server.id, scope });
      return secret;
    };
    const [reader, sender] = [await addOwn("read"), await addOwn("send")];
    const path = "/api/v1/messages";
    expect(await statusOf(listener, path)).toBe(401);
    expect(await statusOf(listener, path, { headers: basic("wrong") })).toBe(401);
    expect(await statusOf(listener, path, { headers: basic(api.accountKey) })).toBe(200);
    expect(await statusOf(listener, path, { headers: basic(server.key) })).toBe(200);
    expect(await statusOf(listener, path, { headers: basic(other.key) })).toBe(403);
    expect(await statusOf(listener, path, { headers: basic(reader) })).toBe(200);
    expect(await statusOf(listener, path, { headers: basic(sender) })).toBe(403);
    expect(await statusOf(listener, path, { method: "DELETE", headers: basic(reader) })).toBe(403);
    expect(await statusOf(listener, "/livez")).toBe(200);
    await api.deliver(server);
    expect(await statusOf(listener, "/api/v1/message/latest", { headers: basic(reader) })).toBe(200);
    expect(await api.context.store.marks.countUnseen(server.id, "Received")).toBe(1);
    expect(await statusOf(listener, "/api/v1/message/latest", { headers: basic(server.key) })).toBe(200);
    expect(await api.context.store.marks.countUnseen(server.id, "Received")).toBe(0);
  });

  test("does not reach messages of other servers", async () => {
    const listener = await listen();
    const { api } = listener;
    const foreign = await api.deliver(await api.addServer("Other"));
    for (const path of [
      `/api/v1/message/${foreign}`,
      ...["headers", "raw", "part/1", "html-check", "sa-check"].map((name) => `/api/v1/message/${foreign}/${name}`),
      `/view/${foreign}.html`,
    ]) {
      expect(await statusOf(listener, path)).toBe(404);
    }
    const body = JSON.stringify({ IDs: [foreign], Read: true, Tags: ["mine"] });
    for (const [method, path] of [
      ["DELETE", "/api/v1/messages"],
      ["PUT", "/api/v1/messages"],
      ["PUT", "/api/v1/tags"],
    ] as const) {
      expect(await statusOf(listener, path, { method, body })).toBe(200);
    }
    expect(await api.context.store.getDetail(foreign)).toBeDefined();
    expect(await api.context.store.marks.readMarks(decodeMessageId(foreign).server, [foreign])).toEqual([]);
  });
});

describe("the web socket", () => {
  test("sends statistics and new messages", async () => {
    const listener = await listen();
    const { api, server } = listener;
    const socket = subscribe(listener);
    const received: unknown[] = [];
    socket.on("message", (data: Buffer) => received.push(JSON.parse(data.toString())));
    await once(socket, "open");
    api.clock.advance(250);
    await until(() => received.length === 1);
    const id = await api.deliver(server, { subject: "Fresh" });
    await until(() => received.length === 2);
    expect(received).toEqual([
      { Type: "stats", Data: { Total: 0, Unread: 0, Version: "restante 0" } },
      { Type: "new", Data: expect.objectContaining({ ID: id, Subject: "Fresh" }) as unknown },
    ]);
  });

  test.each([
    ["a page of another origin", { headers: { origin: "https://evil.example" } }],
    ["another host name", { headers: { host: "evil.example" } }],
    ["a page of another site", { headers: { "sec-fetch-site": "cross-site" } }],
  ])("refuses %s", async (_, options) => {
    expect(await refusal(subscribe(await listen(), options))).toBe(403);
  });

  test("requires a key where loopback is not trusted, and ends when the key is revoked", async () => {
    const listener = await listen({ trustsLoopback: false });
    const { api, server } = listener;
    expect(await refusal(subscribe(listener))).toBe(401);
    const socket = subscribe(listener, { headers: basic(server.key) });
    await once(socket, "open");
    const closed = once(socket, "close");
    const key = (await api.context.store.listKeys()).find((one) => one.server === server.id);
    const reply = await api.ask(`DELETE /api/keys/${key?.id}`);
    expect(reply.statusCode).toBe(204);
    expect((await closed)[0]).toBe(1001);
  });

  test("refuses more sockets of one key than its limit", async () => {
    const listener = await listen({}, { limits: { eventStreamCountPerKeyMax: 1 } });
    const first = subscribe(listener);
    await once(first, "open");
    expect(await refusal(subscribe(listener))).toBe(429);
    first.close();
    await once(first, "close");
    await until(() => listener.api.answered.length === 2);
    await once(subscribe(listener), "open");
  });

  test("responds 400 to an incomplete handshake, and serves other protocols over HTTP/1.1", async () => {
    const listener = await listen();
    expect(await firstBytes(raw(listener, handshake()))).toMatch(/^HTTP\/1\.1 400 /);
    const upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
    const request = `GET /api/v1/info HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`;
    expect(await firstBytes(raw(listener, request))).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("closes on large messages, and on pings whose answers nobody reads", async () => {
    const listener = await listen();
    const large = subscribe(listener);
    await once(large, "open");
    large.send(Buffer.alloc(5000));
    expect((await once(large, "close"))[0]).toBe(1009);

    const flood = raw(listener, handshake(webSocketFields));
    expect(await firstBytes(flood)).toMatch(/^HTTP\/1\.1 101 /);
    flood.pause();
    // A masked ping of 125 bytes (RFC 6455 §5.5.2).
    const pings = Buffer.concat(
      Array.from({ length: 500 }, () => Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)])),
    );
    const rounds = 20_000_000 / pings.length;
    for (let round = 0; round < rounds && !flood.destroyed; round += 1) {
      flood.write(pings);
      await until(() => flood.destroyed || flood.writableLength < pings.length);
    }
    expect(flood.destroyed).toBe(true);
  });
});
