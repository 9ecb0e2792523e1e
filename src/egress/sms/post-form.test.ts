import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createTargetPolicy, type TargetPolicy } from "../../core/outgoing-target.ts";
import { postForm } from "./post-form.ts";

/** Starts a server that counts connections and responds with `body`. */
async function listen(body = ""): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
  server.on("connection", () => (connections += 1));
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const form = { ownOrigins: null, body: "a=b", headers: {}, responseBytesMax: 10 } as const;
const listed = (origin: string): TargetPolicy => createTargetPolicy({ origins: [origin], allowsLoopback: false });

test("connects to the checked address without resolving the host again", async () => {
  const { port, connections } = await listen("0123456789abcdef");
  const asked: string[] = [];
  const answers = [["127.0.0.1"], ["169.254.169.254"]];
  const resolve = async (host: string): Promise<readonly string[]> => {
    asked.push(host);
    return answers.shift() ?? [];
  };
  const origin = `http://hook.localhost:${String(port)}`;
  const answer = await postForm({ ...form, url: `${origin}/x` }, { policy: listed(origin), resolve });
  expect(answer).toEqual({ status: 200, contentType: "", body: "0123456789" });
  expect([asked, connections()]).toEqual([["hook.localhost"], 1]);
});

test.each([
  ["http://hooks.corp.example", ["127.0.0.1"]],
  ["http://hooks.corp.example", ["10.0.0.1", "169.254.169.254"]],
  ["http://hooks.corp.example", ["::ffff:127.0.0.1"]],
  ["http://hooks.corp.example", ["2002:7f00:1::"]],
  ["http://hooks.corp.example", ["64:ff9b::127.0.0.1"]],
  ["http://hooks.corp.example", ["fd00:ec2::254"]],
])("fails permanently for %s when its host has the addresses %j", async (origin, addresses) => {
  const { port, connections } = await listen();
  const url = `${origin}:${String(port)}`;
  const call = postForm({ ...form, url }, { policy: listed(url), resolve: async () => addresses });
  await expect(call).rejects.toMatchObject({ name: "DeliveryFailure", verdict: "fail" });
  expect(connections()).toBe(0);
});

test("refuses a target outside of the list without a DNS query", async () => {
  const { port, connections } = await listen();
  const resolve = async (): Promise<never> => {
    throw new Error("asked the DNS");
  };
  const call = postForm(
    { ...form, url: `http://127.0.0.1:${String(port)}` },
    { policy: listed("http://app:1"), resolve },
  );
  await expect(call).rejects.toThrow(/not allowed/);
  expect(connections()).toBe(0);
});

test("retries when the host has no address or DNS fails", async () => {
  const policy = listed("http://app:1");
  for (const resolve of [async () => [], async () => Promise.reject(new Error("SERVFAIL"))]) {
    await expect(postForm({ ...form, url: "http://app:1" }, { policy, resolve })).rejects.toMatchObject({
      verdict: "retry",
    });
  }
});

const loopback = { policy: createTargetPolicy({ origins: [], allowsLoopback: true }) };

/** Starts a server with a listener; returns the URL of a hook. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook?x=1`;
}

test("posts the form unchanged, with the given header fields", async () => {
  const seen: unknown[] = [];
  const url = await serve((request, response) => {
    void text(request).then((body) => {
      seen.push([request.method, request.url, request.headers["content-type"], request.headers["x-signed"], body]);
      return response.end("thanks");
    });
  });
  await postForm({ ...form, url, body: "a=b&c=%20", headers: { "x-signed": "yes" } }, loopback);
  expect(seen).toEqual([["POST", "/hook?x=1", "application/x-www-form-urlencoded", "yes", "a=b&c=%20"]]);
});

test("returns a redirect without following it", async () => {
  let wasLedOn = false;
  const elsewhere = await serve((_request, response) => {
    wasLedOn = true;
    response.end();
  });
  const url = await serve((_request, response) => response.writeHead(307, { location: elsewhere }).end());
  expect(await postForm({ ...form, url }, loopback)).toMatchObject({ status: 307 });
  expect(wasLedOn).toBe(false);
});

test("reads no more of an endless response than it returns", async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "x")));
    };
    response.on("drain", more);
    more();
  });
  expect(await postForm({ ...form, url }, loopback)).toMatchObject({ body: "x".repeat(form.responseBytesMax) });
});

test("ends requests that run when the service stops, for a later attempt", async () => {
  const closing = new AbortController();
  const url = await serve(() => {
    closing.abort();
  });
  const call = postForm({ ...form, url }, { ...loopback, signal: closing.signal });
  await expect(call).rejects.toMatchObject({ verdict: "retry" });
});

test("retries when the target is unreachable or closes the connection, and omits the URL from the message", async () => {
  const hangsUp = await serve((request) => {
    request.socket.destroy();
  });
  for (const url of [hangsUp, "http://127.0.0.1:1/secret-path"]) {
    const call = postForm({ ...form, url }, loopback);
    await expect(call).rejects.toMatchObject({ verdict: "retry", message: "The target could not be reached" });
  }
});
