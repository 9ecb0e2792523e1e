/** Large request bodies wait for the memory of mails at every route, as the registries name them, over real sockets. */
import { once } from "node:events";
import type { Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { bodyWorkBytesPerByte } from "../../src/core/memory-limits.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { readKey } from "../../src/http/auth.ts";
import { routeTable } from "../../src/http/route-table.ts";
import { createCatcherRouter, catcherTable } from "../../src/catchers/catcher-routes.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { providers } from "../../src/providers/registry.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../src/testing/http-test-server.test-aid.ts";
import { until } from "../../src/testing/until.test-aid.ts";

const bodyBytes = 300_000;
const body = `{"x":"${"a".repeat(bodyBytes - 8)}"}`;

let api: HttpTestServer;
let server: TestServer;
const listeners = new Map<string, Server>();
const sockets: Socket[] = [];
beforeAll(async () => {
  api = await openHttpTestServer({ limits: { mailWorkBytesMax: 1024 ** 2 } });
  server = await api.addServer();
  listeners.set("own", api.app.createListener());
  for (const [name, load] of Object.entries(catcherTable)) {
    const access = { name, server: server.id, trustsLoopback: false };
    listeners.set(
      name,
      api.app.createCatcherListener(createCatcherRouter(await load(), { access, version: "0" }), null),
    );
  }
  for (const listener of listeners.values()) {
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
  }
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await api[Symbol.asyncDispose]();
});

/** Route that takes a body as large as a mail, with the header fields of its caller. */
interface Target {
  readonly listener: string;
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
}

const basic = (credentials: string): Record<string, string> => ({ authorization: `Basic ${btoa(credentials)}` });
const filled = (path: string): string => path.replaceAll(/\/:\w+/g, "/x");

/** Returns the header fields with which a provider finds a key; throws when the test does not know them. */
function headersOf({ name, readKey: readOwn }: Provider, key: string): Readonly<Record<string, string>> {
  const credential = `AWS4-HMAC-SHA256 Credential=${key}/20260101/eu-west-1/ses/aws4_request`;
  const tokens = { "api-key": key, "x-postmark-server-token": key };
  const forms = [
    { authorization: `Bearer ${key}` },
    { authorization: key },
    { authorization: `${credential}, SignedHeaders=host, Signature=0` },
    basic(`api:${key}`),
    basic(`${key}:${key}`),
  ].map((form) => ({ ...form, ...tokens }));
  const read = readOwn ?? ((headers): string | null => readKey(headers.authorization) ?? null);
  const found = forms.find((headers) => read(headers, []) === key);
  if (found === undefined) throw new Error(`${name}: no header fields are known for its key`);
  return found;
}

function ownTargets(): readonly Target[] {
  return routeTable
    .filter((route) => (route.body?.bytesMax(defaultLimits) ?? 0) > bodyBytes)
    .map(({ method, path }) => ({
      listener: "own",
      line: `${method} ${filled(path)}`,
      headers: basic(`${api.accountKey}:`),
    }));
}

function providerTargets(): readonly Target[] {
  return providers.flatMap((provider) =>
    provider.endpoints
      .filter(({ body: kind, access }) => kind === "mail" && access !== "own")
      .map(({ method, path }) => ({
        listener: "own",
        line: `${method} /providers/${provider.name}${filled(path)}`,
        headers: headersOf(provider, server.key),
      })),
  );
}

async function catcherTargets(): Promise<readonly Target[]> {
  const catchers = await Promise.all(Object.values(catcherTable).map(async (load) => await load()));
  return catchers.flatMap(({ name, routes }) =>
    routes
      .filter(({ method, path, permission }) => permission === "send" && method === "POST" && !path.includes(":"))
      .map(({ path }) => ({ listener: name, line: `POST ${path}`, headers: basic(`x:${server.key}`) })),
  );
}

/** Sends a large body; returns a function that returns the status of the response, 0 before it. */
function send({ listener, line, headers }: Target): () => number {
  const address = listeners.get(listener)?.address() ?? null;
  if (address === null) throw new Error(`${listener} does not listen`);
  const socket = connect((address as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  let received = "";
  socket.on("error", () => undefined).on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  const fields = { host: "localhost", "content-type": "application/json", ...headers };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.write([`${line} HTTP/1.1`, ...head, `content-length: ${body.length}`, "", body].join("\r\n"));
  return () => Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);
}

test("a body waits at every route for the memory of what is made of it, and is refused as busy after 30 s", async () => {
  const { admission } = api.context;
  const release = await admission.admit(1024 ** 2, "another");
  onTestFinished(() => release?.());
  const catchers = await catcherTargets();
  expect(catchers.map(({ listener, line }) => `${listener} ${line}`)).toContain("mailpit POST /api/v1/send");
  const targets = [...ownTargets(), ...providerTargets(), ...catchers];
  const replies = targets.map((target) => ({ ...target, status: send(target) }));
  await until(() => admission.waitingCount() + replies.filter(({ status }) => status() > 0).length === targets.length);
  expect(replies.filter(({ status }) => status() > 0).map(({ line, status }) => [line, status()])).toEqual([]);
  api.clock.advance(30_000);
  await until(() => replies.every(({ status }) => status() > 0));
  expect(replies.filter(({ status }) => ![429, 503].includes(status())).map(({ line }) => line)).toEqual([]);
  release?.();
  expect(admission.bytesReserved()).toBe(0);
});

test("a body is charged with its factor until it is answered, and its mail is charged with it", async () => {
  const { admission } = api.context;
  const charged: number[] = [];
  const { readEmail } = api.context;
  Object.assign(api.context, {
    readEmail: (...mail: Parameters<typeof readEmail>) => {
      charged.push(admission.bytesReserved());
      return readEmail(...mail);
    },
  });
  const text = JSON.stringify({ subject: "Large", text: "a ".repeat(bodyBytes) });
  const reply = await api.ask(`POST /api/messages?server=${server.id}`, { body: text });
  expect(reply.statusCode).toBe(200);
  expect(charged).toHaveLength(1);
  expect(charged[0]).toBeGreaterThanOrEqual(bodyWorkBytesPerByte * text.length);
  expect(charged[0]).toBeLessThan(bodyWorkBytesPerByte * text.length * 2);
  expect(admission.bytesReserved()).toBe(0);
});
