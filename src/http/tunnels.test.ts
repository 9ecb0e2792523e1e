/** CONNECT over real sockets reaches only the service's own listener. */
import fc from "fast-check";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import {
  openHttpTestServer,
  type HttpTestServerOptions,
  type HttpTestServer,
} from "../testing/http-test-server.test-aid.ts";
import { until } from "../testing/until.test-aid.ts";
import { throwAwayCertificate } from "../testing/throw-away-certificate.ts";
import { defaultConnectionLimits } from "../core/limits.ts";
import { createTunnels } from "./tunnels.ts";

const { ca, credentials } = throwAwayCertificate();
const opened: HttpTestServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  // TLS sockets first, then the sockets under them.
  for (const socket of sockets.splice(0).toReversed()) socket.destroy();
  for (const api of opened.splice(0)) await api[Symbol.asyncDispose]();
});

interface Opened {
  readonly api: HttpTestServer;
  readonly port: number;
  readonly securePort: number;
}

async function open(changes: HttpTestServerOptions = {}): Promise<Opened> {
  const api = await openHttpTestServer(changes);
  opened.push(api);
  const secure = api.app.createSecureListener(credentials);
  const securePort = await listening(secure);
  const targets = ["mailosaur.com:443", `localhost:${securePort}`, `[::1]:${securePort}`];
  return {
    api,
    securePort,
    port: await listening(api.app.createListener({ to: { host: "127.0.0.1", port: securePort }, targets })),
  };
}

async function listening(server: ReturnType<HttpTestServer["app"]["createListener"]>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function dial(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  return socket.on("error", () => socket.destroy());
}

/**
 * Sends a string as it is; resolves with the first chunk of the response, or with all of it when the connection closes.
 */
async function exchange(socket: Socket, text: string | Buffer): Promise<string> {
  socket.write(text);
  const [chunk] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [Buffer | boolean];
  return Buffer.isBuffer(chunk) ? chunk.toString("latin1") : "";
}

const connectLine = (target: string): string => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;

async function tunnel(port: number, target: string): Promise<TLSSocket> {
  const socket = dial(port);
  expect(await exchange(socket, connectLine(target))).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
  const secure = connectTls({ socket, servername: target.split(":")[0] ?? "", ca });
  sockets.push(secure);
  await once(secure, "secureConnect");
  return secure;
}

const limited = (limits: Partial<typeof defaultConnectionLimits>): HttpTestServerOptions => ({
  connectionLimits: { ...defaultConnectionLimits, ...limits },
});

describe("CONNECT to the service", () => {
  test.each(["mailosaur.com:443", "MAILOSAUR.com:443"])("%s reaches the API over TLS", async (target) => {
    const { api, port } = await open();
    const secure = await tunnel(port, target);
    expect(await exchange(secure, "GET /api/servers HTTP/1.1\r\nHost: mailosaur.com\r\n\r\n")).toContain(" 401 ");
    expect(api.answered).toMatchObject([
      { method: "CONNECT", route: "tunnel", status: 200 },
      { method: "GET", route: "/api/servers", status: 401 },
    ]);
  });

  test("accepts the name and port of the HTTPS listener", async () => {
    const { port, securePort } = await open();
    const secure = await tunnel(port, `localhost:${securePort}`);
    expect(await exchange(secure, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")).toContain(" 200 ");
  });

  test("carries many requests, and accepts a handshake sent along with the CONNECT", async () => {
    const { port } = await open();
    const socket = dial(port);
    const hello = await clientHello();
    const response = await exchange(socket, Buffer.concat([Buffer.from(connectLine("mailosaur.com:443")), hello]));
    expect(response).toContain("200");
    await until(() => socket.bytesRead > 200);
    const secure = await tunnel(port, "mailosaur.com:443");
    for (const path of ["/healthz", "/nowhere", "/readyz"]) {
      const expected = path === "/nowhere" ? " 404 " : " 200 ";
      expect(await exchange(secure, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toContain(expected);
    }
  });

  test("closes for input that is not TLS", async () => {
    const { port } = await open();
    const socket = dial(port);
    await exchange(socket, connectLine("mailosaur.com:443"));
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "close");
    await tunnel(port, "mailosaur.com:443");
  });

  test("keeps the client's address: only this machine needs no key", async () => {
    const tunnels = createTunnels({ countMax: 1, isClosing: () => false, observer: { answered() {}, failed() {} } });
    const inner = createServer().listen(0, "127.0.0.1");
    const outer = createHttpServer().listen(0, "127.0.0.2");
    await Promise.all([once(inner, "listening"), once(outer, "listening")]);
    const to = { host: "127.0.0.1", port: (inner.address() as AddressInfo).port };
    tunnels.attach(outer, { to, targets: ["mailosaur.com:443"] });
    tunnels.registerTarget(inner);
    const client = connect({
      host: "127.0.0.2",
      port: (outer.address() as AddressInfo).port,
      localAddress: "127.0.0.3",
    });
    sockets.push(client);
    const [[arrived]] = (await Promise.all([
      once(inner, "connection"),
      exchange(client, connectLine("mailosaur.com:443")),
    ])) as [[Socket], string];
    expect([arrived.remoteAddress, tunnels.clientAddress(arrived)]).toEqual(["127.0.0.1", "127.0.0.3"]);
    expect(tunnels.clientAddress(client)).toBe("127.0.0.2");
    client.destroy();
    // Nothing has been read here yet, and the sender is still known.
    await until(() => client.closed);
    expect(tunnels.clientAddress(arrived)).toBe("127.0.0.3");
    const { remoteAddress, remotePort } = arrived;
    arrived.resume();
    await once(arrived, "close");
    expect(tunnels.clientAddress({ remoteAddress, remotePort })).toBe("127.0.0.1");
    inner.close();
    outer.close();
  });

  test("delivers the listener's last bytes to a client that reads slowly", async () => {
    const content = Buffer.alloc(4_000_000, "x");
    const inner = createServer((socket) => void socket.end(content)).listen(0, "127.0.0.1");
    const outer = createHttpServer().listen(0, "127.0.0.1");
    await Promise.all([once(inner, "listening"), once(outer, "listening")]);
    const tunnels = createTunnels({ countMax: 1, isClosing: () => false, observer: { answered() {}, failed() {} } });
    const to = { host: "127.0.0.1", port: (inner.address() as AddressInfo).port };
    tunnels.attach(outer, { to, targets: ["mailosaur.com:443"] });
    const client = dial((outer.address() as AddressInfo).port);
    const head = await exchange(client, connectLine("mailosaur.com:443"));
    let byteCount = head.length - "HTTP/1.1 200 Connection established\r\n\r\n".length;
    for await (const chunk of client) {
      byteCount += (chunk as Buffer).length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(byteCount).toBe(content.length);
    inner.close();
    outer.close();
  });

  test("closes when the HTTPS listener cannot be reached", async () => {
    const { api, securePort } = await open();
    const closed = { host: "127.0.0.1", port: 1 };
    const port = await listening(api.app.createListener({ to: closed, targets: [`localhost:${securePort}`] }));
    expect(await exchange(dial(port), connectLine(`localhost:${securePort}`))).toBe("");
  });

  test("rejects CONNECT inside a tunnel", async () => {
    const { port } = await open();
    const secure = await tunnel(port, "mailosaur.com:443");
    expect(await exchange(secure, connectLine("mailosaur.com:443"))).toContain(" 403 ");
    await once(secure, "close");
  });
});

describe("CONNECT to another target", () => {
  test("is rejected with 403, and the connection is closed", async () => {
    const { port } = await open();
    const socket = dial(port);
    const response = await exchange(socket, connectLine("example.com:443"));
    expect(response).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[^]*connection: close\r\n/);
    await once(socket, "close");
  });

  test("is rejected for every spelling of the target", async () => {
    const { api, port, securePort } = await open();
    const host = fc.constantFrom(
      "mailosaur.com",
      "mailosaur.com.",
      "next.mailosaur.com",
      "mailosaur.com.evil.example",
      "evil-mailosaur.com",
      "mailosaur.com%00.evil.example",
      "%6dailosaur.com",
      "mailosaur.com@evil.example",
      "evil.example@mailosaur.com",
      "user:443@mailosaur.com",
      "[mailosaur.com]",
      "[::ffff:127.0.0.1]",
      "[0:0:0:0:0:0:0:1]",
      "[::1%25lo]",
      "::1",
      "127.1",
      "0x7f.1",
      "2130706433",
      "localhost.",
      "169.254.169.254",
      "http://mailosaur.com",
      "https://mailosaur.com",
      "//mailosaur.com",
      "/mailosaur.com",
      "*",
      "",
    );
    const portText = fc.constantFrom(
      "443",
      ` 443`,
      "0443",
      "+443",
      "4430",
      "80",
      "22",
      String(securePort),
      "",
      "443/",
      "443?x",
      "443#x",
    );
    const allowed = ["mailosaur.com:443", `localhost:${securePort}`, `[::1]:${securePort}`];
    const spelt = fc.oneof(
      fc.tuple(host, portText).map(([name, number]) => `${name}:${number}`),
      fc.tuple(host, fc.string({ maxLength: 12 })).map(([name, rest]) => name + rest),
      fc
        .constantFrom(...allowed, "x:443\r\nHost: y")
        .chain((target) =>
          fc.tuple(fc.string({ minLength: 1, maxLength: 3 }), fc.constant(target)).map(([a, b]) => a + b),
        ),
    );
    const isOurs = (target: string): boolean => allowed.includes(target.toLowerCase().trim());
    await fc.assert(
      fc.asyncProperty(
        spelt.filter((target) => !isOurs(target)),
        async (target) => {
          const socket = dial(port);
          const response = await exchange(socket, `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
          socket.destroy();
          expect(response === "" || /^HTTP\/1\.1 (400|403) /.test(response)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
    expect(api.answered.filter(({ status }) => status === 200)).toEqual([]);
  });

  test("is rejected for every target when there is no tunnel", async () => {
    const { api } = await open();
    const socket = dial(await listening(api.app.createListener()));
    expect(await exchange(socket, connectLine("mailosaur.com:443"))).toContain(" 403 ");
  });
});

describe("limits of tunnels", () => {
  test("bound their number until others close", async () => {
    const { port } = await open(limited({ tunnelCountMax: 1 }));
    const first = await tunnel(port, "mailosaur.com:443");
    expect(await exchange(dial(port), connectLine("mailosaur.com:443"))).toContain(" 503 ");
    first.destroy();
    let response = "";
    while (!response.includes(" 200 ")) response = await exchange(dial(port), connectLine("mailosaur.com:443"));
  });

  test("bound their silence before the handshake", async () => {
    const { port } = await open(limited({ headersMsMax: 50 }));
    const socket = dial(port);
    await exchange(socket, connectLine("mailosaur.com:443"));
    await once(socket, "close");
  });

  test("bound their silence after a response", async () => {
    const { port } = await open(limited({ keepAliveMsMax: 50 }));
    const secure = await tunnel(port, "mailosaur.com:443");
    await exchange(secure, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(secure, "close");
  });
});

describe("shutdown", () => {
  test("closes idle tunnels and unfinished handshakes at once", async () => {
    // Longer than the time limit of the test.
    const hourMs = 3_600_000;
    const { api, port, securePort } = await open(
      limited({ drainMsMax: hourMs, headersMsMax: hourMs, requestMsMax: hourMs }),
    );
    const idle = await tunnel(port, "mailosaur.com:443");
    await exchange(idle, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const shaking = dial(port);
    await exchange(shaking, connectLine("mailosaur.com:443"));
    const silent = dial(securePort);
    await once(silent, "connect");
    await exchange(dial(port), "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const ends = [idle, shaking, silent].map(async (socket) => once(socket, "close"));
    await api.app.close();
    await Promise.all(ends);
  });
});

/** First bytes of a TLS handshake, taken from a client without a server. */
async function clientHello(): Promise<Buffer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connectTls({
    port: (server.address() as AddressInfo).port,
    host: "127.0.0.1",
    servername: "mailosaur.com",
  });
  client.on("error", () => client.destroy());
  const [incoming] = (await once(server, "connection")) as [Socket];
  const [hello] = (await once(incoming, "data")) as [Buffer];
  client.destroy();
  incoming.destroy();
  server.close();
  return hello;
}
