/** Behaviour of listeners over real sockets. */
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { get as httpsGet } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { defaultConnectionLimits } from "../core/limits.ts";
import { throwAwayCertificate } from "../testing/throw-away-certificate.ts";
import {
  openHttpTestServer,
  type HttpTestServerOptions,
  type HttpTestServer,
} from "../testing/http-test-server.test-aid.ts";
import { until } from "../testing/until.test-aid.ts";

import type { WireError } from "./wire/error-schema.ts";

const opened: HttpTestServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const api of opened.splice(0)) await api[Symbol.asyncDispose]();
});

async function listen(changes: HttpTestServerOptions = {}): Promise<{ api: HttpTestServer; port: number }> {
  const api = await openHttpTestServer(changes);
  opened.push(api);
  const server = api.app.createListener();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { api, port: (server.address() as AddressInfo).port };
}

/** A connection and everything received over it. */
class Line {
  readonly socket: Socket;
  received = "";
  isClosed = false;

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    sockets.push(this.socket);
    this.socket.setEncoding("latin1");
    this.socket.on("data", (text: string) => (this.received += text));
    this.socket.on("close", () => (this.isClosed = true));
    this.socket.on("error", () => undefined);
  }

  send(...lines: readonly string[]): void {
    this.socket.write(lines.join("\r\n"), "latin1");
  }
}

const basic = (key: string): string => `Authorization: Basic ${Buffer.from(`${key}:`).toString("base64")}`;
const statusLines = (text: string): readonly string[] => text.match(/HTTP\/1\.1 \d{3}/g) ?? [];
const withLimits = (limits: Partial<typeof defaultConnectionLimits>): HttpTestServerOptions => ({
  connectionLimits: { ...defaultConnectionLimits, ...limits },
});

describe("requests that Node rejects before they reach a route", () => {
  test.each([
    ["an unknown expectation", ["GET /healthz HTTP/1.1", "Host: localhost", "Expect: foo"], 417, "ExpectationFailed"],
    ["no Host", ["GET /healthz HTTP/1.1"], 400, "ValidationError"],
    ["a malformed request line", ["GET /healthz HTTX/1.1", "Host: localhost"], 400, "ValidationError"],
    ["an unknown method", ["BREW /healthz HTTP/1.1", "Host: localhost"], 400, "ValidationError"],
    ["a method that no route has", ["PROPFIND /healthz HTTP/1.1", "Host: localhost"], 405, "MethodNotAllowed"],
    [
      "two Content-Length fields",
      ["POST / HTTP/1.1", "Host: localhost", "Content-Length: 1", "Content-Length: 2"],
      400,
      "ValidationError",
    ],
    [
      "an unknown transfer coding",
      ["POST / HTTP/1.1", "Host: localhost", "Transfer-Encoding: x"],
      400,
      "ValidationError",
    ],
    [
      "an oversized header section",
      ["GET / HTTP/1.1", "Host: localhost", `X: ${"x".repeat(20_000)}`],
      431,
      "RequestHeaderFieldsTooLarge",
    ],
  ])("get the usual error body: %s", async (...[, lines, status, type]) => {
    const { api, port } = await listen();
    const line = new Line(port);
    line.send(...lines, "", "");
    await until(() => /\r\n\r\n.*\}$/s.test(line.received));
    const [head = "", body = ""] = line.received.split("\r\n\r\n");
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8\r?$/im);
    expect(JSON.parse(body)).toMatchObject({ type, status });
    expect([statusLines(head), api.failed]).toEqual([[`HTTP/1.1 ${String(status)}`], []]);
  });

  test("are refused with two Host fields, which a proxy may read otherwise", async () => {
    const { port } = await listen();
    for (const second of ["Host: localhost", "host: evil.example"]) {
      const line = new Line(port);
      line.send("GET /healthz HTTP/1.1", "Host: localhost", second, "", "");
      await until(() => statusLines(line.received).length === 1);
      expect(statusLines(line.received)).toEqual(["HTTP/1.1 400"]);
    }
  });

  test("are accepted without Host over HTTP/1.0", async () => {
    const { port } = await listen();
    const line = new Line(port);
    line.send("GET /healthz HTTP/1.0", "", "");
    await until(() => statusLines(line.received).length === 1);
    expect(statusLines(line.received)).toEqual(["HTTP/1.1 200"]);
  });
});

describe("a connection", () => {
  test("serves pipelined requests in order", async () => {
    const { port } = await listen();
    const line = new Line(port);
    const ask = (path: string): readonly string[] => [`GET ${path} HTTP/1.1`, "Host: localhost", "", ""];
    line.send(...ask("/healthz"));
    line.send(...ask("/nowhere"));
    line.send(...ask("/readyz"));
    await until(() => statusLines(line.received).length === 3);
    expect(statusLines(line.received)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 200"]);
    expect(line.isClosed).toBe(false);
  });

  test("stays usable after a body was rejected unread", async () => {
    const { api, port } = await listen({ limits: { jsonBodyBytesMax: 10 } });
    const line = new Line(port);
    const body = "x".repeat(100_000);
    for (const length of [`Content-Length: ${String(body.length)}`, "Transfer-Encoding: chunked"]) {
      const isChunked = length.startsWith("Transfer");
      line.send("POST /api/servers HTTP/1.1", "Host: localhost", basic(api.accountKey), length, "", "");
      line.send(isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body);
    }
    line.send("GET /healthz HTTP/1.1", "Host: localhost", "", "");
    await until(() => statusLines(line.received).length === 3);
    expect(statusLines(line.received)).toEqual(["HTTP/1.1 413", "HTTP/1.1 413", "HTTP/1.1 200"]);
  });

  test("rejects bodies beyond the common memory budget with Retry-After", async () => {
    const { api, port } = await listen({ limits: { contentBodyBytesMax: 1000, httpBytesInFlightMax: 1000 } });
    const [filling, late] = [new Line(port), new Line(port)];
    const head = (length: number): readonly string[] => [
      "POST /api/servers HTTP/1.1",
      "Host: localhost",
      basic(api.accountKey),
      "Content-Type: application/json",
      `Content-Length: ${String(length)}`,
      "",
    ];
    const body = JSON.stringify({ name: "n", unknown: "x".repeat(600) });
    const askLate = async (): Promise<string | undefined> => {
      const count = statusLines(late.received).length;
      late.send(...head(body.length), body);
      await until(() => statusLines(late.received).length > count);
      return statusLines(late.received).at(-1);
    };
    filling.send(...head(body.length), body.slice(0, 550));
    while ((await askLate()) !== "HTTP/1.1 429");
    expect(late.received).toMatch(/^retry-after: 1\r$/im);
    filling.send(body.slice(550));
    await until(() => statusLines(filling.received).length === 1);
    expect(statusLines(filling.received)).toEqual(["HTTP/1.1 200"]);
    expect(await askLate()).toBe("HTTP/1.1 200");
  });

  test("accepts a body in small chunks", async () => {
    const { api, port } = await listen();
    const line = new Line(port);
    const body = JSON.stringify({ name: "in … chunks" });
    line.send(
      "POST /api/servers HTTP/1.1",
      "Host: localhost",
      basic(api.accountKey),
      "Transfer-Encoding: chunked",
      "",
      "",
    );
    for (const byte of Buffer.from(body, "utf8")) line.send("1", String.fromCharCode(byte), "");
    line.send("0", "", "");
    await until(() => line.received.includes('"messages"'));
    expect(Buffer.from(line.received, "latin1").toString("utf8")).toContain('"name":"in … chunks"');
  });

  test("sends 100 Continue for Expect: 100-continue", async () => {
    const { api, port } = await listen();
    const line = new Line(port);
    line.send(
      "POST /api/servers HTTP/1.1",
      "Host: localhost",
      basic(api.accountKey),
      "Expect: 100-continue",
      "Content-Length: 12",
      "",
      "",
    );
    await until(() => line.received.includes("100 Continue"));
    line.send('{"name":"n"}');
    await until(() => line.received.includes("HTTP/1.1 200"));
  });

  test("releases its memory when it closes within a body", async () => {
    const { api, port } = await listen();
    const line = new Line(port);
    line.send(
      "POST /api/servers HTTP/1.1",
      "Host: localhost",
      basic(api.accountKey),
      "Content-Length: 100",
      "",
      '{"na',
    );
    await until(() => line.socket.bytesWritten > 0 && !line.socket.pending);
    line.socket.destroy();
    const other = new Line(port);
    other.send("GET /healthz HTTP/1.1", "Host: localhost", "", "");
    await until(() => other.received.includes("200"));
    expect(api.failed).toEqual([]);
  });

  test("gives precedence to the host of the request line over the Host field", async () => {
    const { port } = await listen();
    const line = new Line(port);
    line.send("GET http://localhost/healthz?x HTTP/1.1", "Host: evil.example", "", "");
    line.send("GET http://evil.example/healthz HTTP/1.1", "Host: localhost", "", "");
    line.send("OPTIONS * HTTP/1.1", "Host: localhost", "", "");
    await until(() => statusLines(line.received).length === 3);
    expect(statusLines(line.received)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403", "HTTP/1.1 204"]);
  });
});

describe("unreadable input", () => {
  test.each([
    ["garbage", "garbage\r\n\r\n", "HTTP/1.1 400"],
    [
      "an oversized header section",
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      "HTTP/1.1 431",
    ],
    [
      "two Content-Length fields",
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "HTTP/1.1 400",
    ],
    [
      "Content-Length and chunked encoding",
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 400",
    ],
  ])("closes the connection: %s", async (_what, text, status) => {
    const { port } = await listen();
    const line = new Line(port);
    line.send(text);
    await until(() => line.isClosed);
    expect(statusLines(line.received)).toEqual([status]);
    const [head = "", body = ""] = line.received.split("\r\n\r\n");
    expect(head).toContain(`Content-Length: ${body.length}`);
    const error = JSON.parse(body) as WireError;
    expect(status).toContain(String(error.status));
    expect(Object.keys(error)).toEqual(["type", "status", "message", "errors"]);
  });

  test("closes the connection for a missing Host", async () => {
    const { port } = await listen();
    const line = new Line(port);
    line.send("GET /healthz HTTP/1.1", "", "");
    await until(() => line.isClosed);
    expect(statusLines(line.received)).toEqual(["HTTP/1.1 400"]);
  });

  test("closes the connection when the header section takes too long", async () => {
    const { port } = await listen(withLimits({ headersMsMax: 50 }));
    const line = new Line(port);
    line.send("GET /healthz HTTP/1.1", "Host: local");
    await until(() => line.isClosed);
    expect(statusLines(line.received)).toEqual(["HTTP/1.1 408"]);
    expect(line.received).toContain('{"type":"RequestTimeout","status":408,');
  });

  test("closes the connection when the body takes too long", async () => {
    const { api, port } = await listen(withLimits({ headersMsMax: 50, requestMsMax: 100 }));
    const line = new Line(port);
    line.send("POST /api/servers HTTP/1.1", "Host: localhost", basic(api.accountKey), "Content-Length: 100", "", "{");
    await until(() => line.isClosed);
    expect(api.failed).toEqual([]);
  });
});

describe("close", () => {
  test("finishes responses under way, closes idle connections and accepts no new ones", async () => {
    let release = (): void => undefined;
    const gate = new Promise<boolean>((resolve) => {
      release = () => {
        resolve(true);
      };
    });
    let pending = false;
    const ready = async (): Promise<boolean> => {
      pending = true;
      return gate;
    };
    const { api, port } = await listen({
      health: { live: () => true, ready, metricsText: async () => "", taskStates: () => [] },
    });
    const idle = new Line(port);
    idle.send("GET /healthz HTTP/1.1", "Host: localhost", "", "");
    await until(() => idle.received.includes("200"));
    const busy = new Line(port);
    busy.send("GET /readyz HTTP/1.1", "Host: localhost", "", "");
    await until(() => pending);

    const closed = api.app.close();
    await until(() => idle.isClosed);
    const late = new Line(port);
    await until(() => late.isClosed);
    expect(late.received).toBe("");
    release();
    await closed;
    await until(() => busy.isClosed);
    expect(busy.received).toContain("HTTP/1.1 200");
    expect(busy.received.toLowerCase()).toContain("connection: close");
  });

  test("closes the remaining connections after drainMsMax", async () => {
    const ready = async (): Promise<boolean> => new Promise(() => undefined);
    const { api, port } = await listen({
      ...withLimits({ drainMsMax: 20 }),
      health: { live: () => true, ready, metricsText: async () => "", taskStates: () => [] },
    });
    const stuck = new Line(port);
    stuck.send("GET /readyz HTTP/1.1", "Host: localhost", "", "");
    await until(() => stuck.socket.bytesWritten > 0);
    await api.app.close();
    await until(() => stuck.isClosed);
  });
});

test("stops a waiting search when the client disconnects", async () => {
  const { api, port } = await listen();
  const server = await api.addServer();
  const options = {
    port,
    host: "127.0.0.1",
    method: "POST",
    path: `/api/messages/search?server=${server.id}&timeout=60000`,
  };
  const request = httpRequest({
    ...options,
    auth: `${api.accountKey}:`,
    headers: { "content-type": "application/json" },
  });
  request.on("error", () => undefined);
  request.end('{"subject":"never"}');
  await until(() => api.clock.appointmentCount === 1);
  request.destroy();
  await until(() => api.clock.appointmentCount === 0);
  expect(api.failed).toEqual([]);
});

test("serves HTTP and HTTPS at the same time, and closes both together", async () => {
  const { api, port } = await listen();
  const { ca, credentials } = throwAwayCertificate();
  const server = api.app.createSecureListener(credentials);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: httpsPort } = server.address() as AddressInfo;
  const request = httpsGet({ host: "localhost", port: httpsPort, path: "/healthz", ca, family: 4, agent: false });
  const [response] = (await once(request, "response")) as [{ statusCode: number; resume: () => void }];
  response.resume();
  expect(response.statusCode).toBe(200);
  await api.app.close();
  for (const each of [port, httpsPort]) {
    const late = new Line(each);
    await until(() => late.isClosed);
  }
});
