import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Problem } from "../core/errors.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../testing/http-test-server.test-aid.ts";
import { until } from "../testing/until.test-aid.ts";
import { RequestAborted } from "./read-body.ts";

const mebibyte = 1024 * 1024;
const contentBytes = 512 * mebibyte;

let api: HttpTestServer;
let server: TestServer;
let port: number;
const sockets: Socket[] = [];
/** Connections of the server to the sockets. */
const connections: Socket[] = [];

beforeEach(async () => {
  api = await openHttpTestServer({ limits: { answerBytesInFlightMax: 8 * mebibyte, writeMsMax: 30_000 } });
  server = await api.addServer();
  const listener = api.app.createListener().listen(0, "127.0.0.1");
  listener.on("connection", (connection) => connections.push(connection));
  await once(listener, "listening");
  port = (listener.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  connections.length = 0;
  await api[Symbol.asyncDispose]();
});

/** Requests a path and reads nothing of the response. */
async function stall(path: string, key: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.pause();
  await once(socket, "connect");
  const authorization = `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`);
  return socket;
}

/** Makes every raw message as large as possible, generated while it is read; counts chunks read and streams closed. */
function largeRaw(): { readBytes: number; endedCount: number } {
  const seen = { readBytes: 0, endedCount: 0 };
  const chunk = Buffer.alloc(256 * 1024, "x");
  vi.spyOn(api.context.store, "openRaw").mockResolvedValue({
    sizeBytes: contentBytes,
    async *read() {
      try {
        for (let at = 0; at < contentBytes; at += chunk.length) {
          await Promise.resolve();
          seen.readBytes += chunk.length;
          yield chunk;
        }
      } finally {
        seen.endedCount += 1;
      }
    },
  });
  return seen;
}

/** Makes every raw message read until its client has left; then it throws. */
function rawThatFails(error: Error): void {
  const chunk = Buffer.alloc(256 * 1024, "x");
  vi.spyOn(api.context.store, "openRaw").mockResolvedValue({
    sizeBytes: contentBytes,
    async *read() {
      while (connections.some(({ destroyed }) => !destroyed)) {
        await new Promise((resolve) => void setImmediate(resolve));
        yield chunk;
      }
      throw error;
    },
  });
}

/** Makes inspections of mails wait until their caller has left. */
function inspectionsThatWait(): { isStarted: boolean } {
  const seen = { isStarted: false };
  vi.spyOn(api.context.inspector, "inspect").mockImplementation(async (_load, _inspection, { signal }) => {
    seen.isStarted = true;
    return new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => {
        reject(signal.reason as Error);
      });
    });
  });
  return seen;
}

/** Resolves when pending work has settled. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

describe("a client that does not read the response", () => {
  test("is sent no more than its connection accepts, and is cut off after writeMsMax", async () => {
    const id = await api.deliver(server);
    const seen = largeRaw();
    const socket = await stall(`/api/files/email/${id}`, server.key);
    await until(() => seen.readBytes > 0 && api.clock.appointmentCount > 0);
    await rest();
    expect(seen.readBytes).toBeLessThan(contentBytes / 8);
    api.clock.advance(29_999);
    await rest();
    expect(seen.endedCount).toBe(0);
    api.clock.advance(1);
    socket.resume();
    await once(socket, "close");
    await until(() => seen.endedCount === 1);
    expect(api.failed).toEqual([]);
  });

  test("leaves other keys half of the response memory", async () => {
    const id = await api.deliver(server);
    const other = await api.addServer();
    const otherId = await api.deliver(other);
    const seen = largeRaw();
    for (let count = 0; count < 5; count += 1) await stall(`/api/files/email/${id}`, server.key);
    await rest();
    const before = seen.readBytes;
    await stall(`/api/files/email/${otherId}`, other.key);
    await until(() => seen.readBytes > before);
  });

  test("gets 429 with Retry-After when its key holds too much memory", async () => {
    const id = await api.deliver(server);
    const seen = largeRaw();
    for (let count = 0; count < 2; count += 1) await stall(`/api/files/email/${id}`, server.key);
    await until(() => seen.readBytes > 0);
    await rest();
    const pending = api.ask(`GET /api/files/email/${id}`, { key: server.key });
    await rest();
    api.clock.advance(10_000);
    const reply = await pending;
    expect([reply.statusCode, reply.headers["retry-after"]]).toEqual([429, "1"]);
  });

  test("holds the memory of a large page until it is cut off", async () => {
    const id = await api.deliver(server, { text: "a line of text\r\n".repeat(400_000) });
    for (let count = 0; count < 2; count += 1) await stall(`/api/messages/${id}`, server.key);
    await until(() => api.answered.length > 0 && api.clock.appointmentCount > 1);
    await rest();
    // One is being written, the other one waits for memory.
    expect(api.answered.filter(({ route }) => route === "/api/messages/:id")).toHaveLength(1);
    api.clock.advance(10_000);
    await until(() => api.answered.some(({ status }) => status === 429));
  });
});

describe("a client that disconnects during a streamed response", () => {
  const aborted = new DOMException("The response is closed", "AbortError");

  /** Reads the first bytes of a response, and disconnects. */
  async function leave(path: string, isReady = (): boolean => true): Promise<void> {
    const socket = await stall(path, server.key);
    socket.resume();
    await once(socket, "data");
    await until(isReady);
    socket.destroy();
    await until(() => connections.every(({ destroyed }) => destroyed));
    await rest();
  }

  test("is no failed request when its archive is aborted", async () => {
    const id = await api.deliver(server, { text: "a line of text\r\n".repeat(20_000) });
    const seen = inspectionsThatWait();
    await leave(`/api/messages/${id}/bundle`, () => seen.isStarted);
    expect([api.answered.length, api.failed]).toEqual([1, []]);
  });

  test.each([
    ["an abort of the source", aborted],
    ["a problem with an abort as its cause", new Problem("unavailable", { cause: aborted })],
    ["an aborted wait for memory", new RequestAborted()],
  ])("is no failed request after %s", async (_name, error) => {
    const id = await api.deliver(server);
    rawThatFails(error);
    await leave(`/api/files/email/${id}`);
    expect([api.answered.length, api.failed]).toEqual([1, []]);
  });

  test("is a failed request when the source fails by itself", async () => {
    const id = await api.deliver(server);
    const error = new Error("the store is unreachable");
    rawThatFails(error);
    await leave(`/api/files/email/${id}`);
    expect(api.failed).toEqual([
      { id: expect.any(String) as string, method: "GET", route: "/api/files/email/:id", error },
    ]);
  });
});

test("a source that aborts while its client is connected is a failed request, and ends the connection", async () => {
  const id = await api.deliver(server);
  const error = new DOMException("The worker is closed", "AbortError");
  vi.spyOn(api.context.store, "openRaw").mockResolvedValue({
    sizeBytes: contentBytes,
    async *read() {
      yield await Promise.resolve(Buffer.alloc(mebibyte));
      throw error;
    },
  });
  const socket = await stall(`/api/files/email/${id}`, server.key);
  socket.resume();
  await once(socket, "close");
  expect(api.failed.map((request) => request.error)).toEqual([error]);
});

describe("the memory of a raw message", () => {
  /** Lets the store return content in memory of its own. */
  function ownedRaw(bytes: Uint8Array): void {
    vi.spyOn(api.context.store, "openRaw").mockResolvedValue({
      sizeBytes: bytes.length,
      bytes,
      read: () => {
        throw new Error("content in memory is not read in chunks");
      },
    });
  }

  test("is freed when the connection has taken it, and not before", async () => {
    const id = await api.deliver(server);
    const bytes = new Uint8Array(24 * mebibyte).fill(0x78);
    ownedRaw(bytes);
    const socket = await stall(`/api/files/email/${id}`, server.key);
    await until(() => api.clock.appointmentCount > 0);
    await rest();
    expect(bytes.length).toBe(24 * mebibyte);
    let received = 0;
    socket.on("data", (chunk: Buffer) => {
      received += chunk.filter((byte) => byte === 0x78).length;
    });
    socket.resume();
    await until(() => bytes.length === 0);
    await until(() => received >= 24 * mebibyte);
  });

  test("stays while a client that was cut off has not taken it", async () => {
    const id = await api.deliver(server);
    const bytes = new Uint8Array(24 * mebibyte).fill(0x78);
    ownedRaw(bytes);
    const socket = await stall(`/api/files/email/${id}`, server.key);
    await until(() => api.clock.appointmentCount > 0);
    api.clock.advance(30_000);
    socket.resume();
    await once(socket, "close");
    await rest();
    expect(bytes.length).toBe(24 * mebibyte);
  });

  test("is whole for each of several clients", async () => {
    const id = await api.deliver(server, { text: "a line of text\r\n".repeat(1000) });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => api.ask(`GET /api/files/email/${id}`, { key: server.key })),
    );
    expect(new Set(replies.map(({ payload }) => payload)).size).toBe(1);
    expect(replies[0]?.payload).toContain("a line of text");
  });
});
