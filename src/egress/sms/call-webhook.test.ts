import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createTargetPolicy } from "../../core/outgoing-target.ts";
import { expect, onTestFinished, test } from "vitest";
import { callWebhook } from "./call-webhook.ts";

const rules = { policy: createTargetPolicy({ origins: [], allowsLoopback: true }) };

async function listen(listener: RequestListener): Promise<string> {
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
  const url = await listen((request, response) => {
    void text(request).then((body) => {
      seen.push([request.method, request.url, request.headers["content-type"], request.headers["x-signed"], body]);
      return response.end("thanks");
    });
  });
  await callWebhook({ url, body: "a=b&c=%20", headers: { "x-signed": "yes" } }, rules);
  expect(seen).toEqual([["POST", "/hook?x=1", "application/x-www-form-urlencoded", "yes", "a=b&c=%20"]]);
});

test.each([
  [400, "fail"],
  [403, "fail"],
  [404, "fail"],
  [410, "fail"],
  [408, "retry"],
  [429, "retry"],
  [500, "retry"],
  [503, "retry"],
])("classifies status %i as %s", async (status, verdict) => {
  const url = await listen((_request, response) => response.writeHead(status).end());
  await expect(callWebhook({ url, body: "", headers: {} }, rules)).rejects.toMatchObject({ verdict });
});

test("does not follow redirects", async () => {
  let wasLedOn = false;
  const elsewhere = await listen((_request, response) => {
    wasLedOn = true;
    response.end();
  });
  const url = await listen((_request, response) => response.writeHead(307, { location: elsewhere }).end());
  await expect(callWebhook({ url, body: "", headers: {} }, rules)).rejects.toMatchObject({ verdict: "fail" });
  expect(wasLedOn).toBe(false);
});

test("does not read the body of the response", async () => {
  const url = await listen((_request, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on("drain", more);
    more();
  });
  await callWebhook({ url, body: "", headers: {} }, rules);
});

test("ends requests that run when the service stops, for a later attempt", async () => {
  const closing = new AbortController();
  const url = await listen(() => {
    closing.abort();
  });
  const call = callWebhook({ url, body: "", headers: {} }, { ...rules, signal: closing.signal });
  await expect(call).rejects.toMatchObject({ verdict: "retry" });
});

test("retries when the webhook is unreachable or closes the connection, and omits the URL from the message", async () => {
  const hangsUp = await listen((request) => {
    request.socket.destroy();
  });
  for (const url of [hangsUp, "http://127.0.0.1:1/secret-path"]) {
    const call = callWebhook({ url, body: "", headers: {} }, rules);
    await expect(call).rejects.toMatchObject({ verdict: "retry", message: "The target could not be reached" });
  }
});
