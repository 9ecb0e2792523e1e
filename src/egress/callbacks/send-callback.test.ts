import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text as readBody } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createTargetPolicy } from "../../core/outgoing-target.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { RenderedCallback } from "./delivery-content.ts";
import { CallbackClient, type CallbackClientDependencies } from "./send-callback.ts";

/** Starts a receiver that records its connections. */
async function listen(answer: RequestListener): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer(answer).listen(0, "127.0.0.1");
  server.on("connection", (socket: Socket) => sockets.push(socket));
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

function openClient(port: number, more: Partial<CallbackClientDependencies> = {}) {
  const clock = new FakeClock();
  const origin = `http://app.localhost:${String(port)}`;
  const policy = createTargetPolicy({ origins: [origin], allowsLoopback: false });
  const client = new CallbackClient({ policy, clock, resolve: async () => ["127.0.0.1"], ...more });
  onTestFinished(() => {
    client.close();
  });
  return { clock, client, url: `${origin}/hook` };
}

function callbackTo(url: string, body = '{"a":1}'): RenderedCallback {
  const request = { headers: { "x-one": "1" }, contentType: "application/json", body: Buffer.from(body) };
  return { url, request, deliveryCount: 1 };
}

const retry = { name: "DeliveryFailure", verdict: "retry" };
const fail = { name: "DeliveryFailure", verdict: "fail" };

test("posts the body with its header fields and uses the connection again", async () => {
  const seen: [string | undefined, IncomingMessage["headers"], string][] = [];
  const { port, sockets } = await listen((request, response) => {
    const note = async (): Promise<void> => {
      seen.push([request.method, request.headers, await readBody(request)]);
      response.writeHead(202).end("thanks");
    };
    void note();
  });
  const { client, url } = openClient(port);
  for (let count = 0; count < 5; count += 1) {
    expect(await client.send(callbackTo(url))).toEqual({ status: 202, retryAfterMs: null });
  }
  const fields = { "x-one": "1", "content-type": "application/json", "content-length": "7", "user-agent": "restante" };
  expect(seen[0]).toMatchObject(["POST", fields, '{"a":1}']);
  expect([seen.length, sockets.length]).toEqual([5, 1]);
});

test("sends OPTIONS without a body or its type, and returns the response where it is read", async () => {
  const seen: [string | undefined, string | undefined][] = [];
  const { port } = await listen((request, response) => {
    seen.push([request.method, request.headers["content-type"]]);
    request.resume();
    response.writeHead(200, { "webhook-allowed-origin": "*" }).end("thanks");
  });
  const { client, url } = openClient(port);
  const request = { method: "OPTIONS", headers: {}, contentType: "", body: new Uint8Array() } as const;
  const callback = { url, request, deliveryCount: 1, onResponse: async () => undefined };
  expect(await client.send(callback)).toMatchObject({
    status: 200,
    answer: { status: 200, headers: { "webhook-allowed-origin": "*" }, body: Buffer.from("thanks") },
  });
  expect(seen).toEqual([["OPTIONS", undefined]]);
});

test("returns at most 64 KiB of a response that is read", async () => {
  const { port } = await listen((request, response) => {
    request.resume();
    response.end("a".repeat(1024 * 1024));
  });
  const { client, url } = openClient(port);
  const { answer } = await client.send({ ...callbackTo(url), onResponse: async () => undefined });
  expect(answer?.body.byteLength).toBeLessThanOrEqual(64 * 1024);
});

test("reports redirects and errors as they are, without following them", async () => {
  const { port } = await listen((request, response) => {
    request.resume();
    response.writeHead(307, { location: "/elsewhere", "retry-after": "9" }).end();
  });
  const { client, url } = openClient(port);
  expect(await client.send(callbackTo(url))).toEqual({ status: 307, retryAfterMs: 9000 });
});

test("fails temporarily without a response within 15 seconds", async () => {
  const { port, sockets } = await listen(() => undefined);
  const { client, clock, url } = openClient(port);
  const failure = client.send(callbackTo(url)).catch((error: unknown) => error);
  await expect.poll(() => sockets.length).toBe(1);
  clock.advance(14_999);
  expect(sockets[0]?.destroyed).toBe(false);
  clock.advance(1);
  expect(await failure).toMatchObject({ ...retry, message: "No response within 15 seconds" });
});

test("accepts the status of a response whose body never ends, and closes the connection", async () => {
  const { port, sockets } = await listen((_request, response) => response.writeHead(200).write("a"));
  const { client, clock, url } = openClient(port);
  const sent = client.send(callbackTo(url));
  await expect.poll(() => clock.appointmentCount).toBe(2);
  clock.advance(1000);
  expect(await sent).toMatchObject({ status: 200 });
  await expect.poll(() => sockets[0]?.destroyed).toBe(true);
});

test("accepts the status of a response whose body is long or cut off", async () => {
  for (const end of [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.write("x".repeat(200_000))]) {
    const { port } = await listen((_request, response) => {
      response.writeHead(200, { "content-length": 10_000_000 });
      response.write("a", () => end(response.socket as Socket));
    });
    const { client, url } = openClient(port);
    expect(await client.send(callbackTo(url))).toMatchObject({ status: 200 });
  }
});

test("fails temporarily when the receiver closes the connection in the middle of the header", async () => {
  const { port } = await listen((request) => request.socket.end("HTTP/1.1 200 OK\r\ncontent-"));
  const { client, url } = openClient(port);
  await expect(client.send(callbackTo(url))).rejects.toMatchObject(retry);
});

test("fails temporarily when the header of the response is larger than 16 KB", async () => {
  const { port } = await listen((_request, response) =>
    response
      .writeHead(200, Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x-${i}`, "y".repeat(1000)])))
      .end(),
  );
  const { client, url } = openClient(port);
  await expect(client.send(callbackTo(url))).rejects.toMatchObject(retry);
});

test("sends again on a new connection when the receiver has closed the idle one", async () => {
  let count = 0;
  const { port, sockets } = await listen((request, response) => {
    count += 1;
    request.resume();
    // The second request of a connection finds it closed.
    if (count === 2) request.socket.destroy();
    else response.end();
  });
  const { client, url } = openClient(port);
  await client.send(callbackTo(url));
  expect(await client.send(callbackTo(url))).toMatchObject({ status: 200 });
  expect(sockets.length).toBe(2);
});

test("fails temporarily when the receiver closes a kept connection in the middle of the header", async () => {
  let count = 0;
  const { port, sockets } = await listen((request, response) => {
    count += 1;
    request.resume();
    if (count === 2) request.socket.end("HTTP/1.1 200 OK\r\ncontent-");
    else response.end();
  });
  const { client, url } = openClient(port);
  await client.send(callbackTo(url));
  await expect(client.send(callbackTo(url))).rejects.toMatchObject(retry);
  expect(sockets.length).toBe(1);
});

test("cuts a request off in the middle of its body", async () => {
  const got: { length: string | undefined; size: number; isComplete: boolean }[] = [];
  const { port } = await listen((request) => {
    let size = 0;
    request.on("data", (chunk: Uint8Array) => (size += chunk.byteLength));
    request.on("error", () => undefined);
    request.on("close", () => {
      got.push({ length: request.headers["content-length"], size, isComplete: request.complete });
    });
  });
  const { client, url } = openClient(port);
  await expect(client.send({ ...callbackTo(url, "x".repeat(100)), isCutOff: true })).rejects.toMatchObject(fail);
  await expect.poll(() => got).toEqual([{ length: "100", size: 50, isComplete: false }]);
});

test("checks every address of the host for each request and connects to the checked one", async () => {
  const { port, sockets } = await listen((request, response) => {
    request.resume();
    response.end();
  });
  const asked: string[] = [];
  const answers = [["127.0.0.1"], ["127.0.0.1", "169.254.169.254"]];
  const resolve = async (host: string): Promise<readonly string[]> => {
    asked.push(host);
    return answers.shift() ?? [];
  };
  const { client, clock, url } = openClient(port, { resolve });
  await client.send(callbackTo(url));
  await client.send(callbackTo(url));
  expect([asked, sockets.length]).toEqual([["app.localhost"], 1]);
  clock.advance(5 * 60_000);
  await expect(client.send(callbackTo(url))).rejects.toMatchObject(fail);
  expect([asked.length, sockets.length]).toEqual([2, 1]);
});

test("refuses a target outside of the list without a DNS query", async () => {
  const resolve = async (): Promise<never> => {
    throw new Error("asked the DNS");
  };
  const { client } = openClient(1, { resolve });
  await expect(client.send(callbackTo("http://10.0.0.1/"))).rejects.toMatchObject(fail);
});

test("a slow name server delays no receiver whose addresses are known", async () => {
  const { port } = await listen((request, response) => {
    request.resume();
    response.end();
  });
  let count = 0;
  const resolve = (): Promise<readonly string[]> => {
    count += 1;
    return count === 1 ? Promise.resolve(["127.0.0.1"]) : new Promise(() => undefined);
  };
  const { client, clock, url } = openClient(port, { resolve });
  await client.send(callbackTo(url));
  clock.advance(60_000);
  expect(await client.send(callbackTo(url))).toMatchObject({ status: 200 });
  expect(await client.send(callbackTo(url))).toMatchObject({ status: 200 });
  expect(count).toBe(2);
});
