/** Request bodies at every route, of the service and of other mail catchers' APIs, over real sockets. */
import { once } from "node:events";
import type { Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  contentArrival,
  jsonDepthMax,
  jsonValueCountMax,
  unauthenticatedBodyBytesMax,
} from "../../src/core/arrival-rate.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { routeTable } from "../../src/http/route-table.ts";
import { createCatcherRouter, catcherTable } from "../../src/catchers/catcher-routes.ts";
import { providers } from "../../src/providers/registry.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../src/testing/http-test-server.test-aid.ts";
import { until } from "../../src/testing/until.test-aid.ts";

const hugeBytes = defaultLimits.contentBodyBytesMax + 1;

/** Route of a listener, as a request line. */
interface Target {
  readonly name: string;
  readonly line: string;
  readonly listener: () => Server;
  /** Whether a body of a stranger is read, because the credentials or the signature are in it. */
  readonly readsUnauthenticated: boolean;
  readonly takesBody: boolean;
}

let api: HttpTestServer;
let server: TestServer;
let main: Server;
const catcherListeners = new Map<string, Server>();
const sockets: Socket[] = [];

beforeAll(async () => {
  api = await openHttpTestServer({
    limits: { wrongKeyCountPerMinuteMax: 100_000, unauthenticatedBytesInFlightMax: 1024 ** 2 },
  });
  server = await api.addServer();
  main = api.app.createListener();
  for (const [name, load] of Object.entries(catcherTable)) {
    const access = { name, server: server.id, trustsLoopback: false };
    catcherListeners.set(
      name,
      api.app.createCatcherListener(createCatcherRouter(await load(), { access, version: "0" }), null),
    );
  }
  for (const listener of [main, ...catcherListeners.values()]) {
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
  }
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => api[Symbol.asyncDispose]());

const filled = (path: string): string => path.replaceAll(/:\w+/g, "x").replace("*", "any/path");

/** Endpoints whose credentials are in the body or that need none, from the registry of providers. */
const own = new Set(
  providers.flatMap(({ name, endpoints }) =>
    endpoints
      .filter(({ access = "key" }) => access !== "key")
      .flatMap(({ method, path, isAtRoot }) => [
        `${method} /providers/${name}${path}`,
        ...(isAtRoot === true ? [`${method} ${path}`] : []),
      ]),
  ),
);

const mainTargets: readonly Target[] = routeTable.map(({ method, path, access, body }) => {
  const name = `${method} ${path}`;
  const isInbound = path.startsWith("/api/sms/") && access === "provider";
  return {
    name,
    line: `${method} ${filled(path)}`,
    listener: () => main,
    readsUnauthenticated: own.has(name) || isInbound,
    takesBody: body !== undefined || (access === "provider" && !path.endsWith("*")),
  };
});

const catcherTargets: readonly Target[] = (
  await Promise.all(
    Object.entries(catcherTable).map(async ([name, load]) =>
      (await load()).routes.map(({ method, path }) => ({
        name: `${name}: ${method} ${path}`,
        line: `${method} ${filled(path)}`,
        listener: () => catcherListeners.get(name) ?? main,
        readsUnauthenticated: false,
        takesBody: method !== "GET",
      })),
    ),
  )
).flat();

const targets = [...mainTargets, ...catcherTargets];

/** Sends a request as it is; resolves with a function that returns what has been received. */
function send(
  { listener, line }: Pick<Target, "listener" | "line">,
  fields: readonly string[],
  body = "",
): () => string {
  const socket = connect((listener().address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  let received = "";
  socket.on("error", () => undefined).on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  socket.write([`${line} HTTP/1.1`, "Host: localhost", ...fields, "", body].join("\r\n"));
  return () => received;
}

/** Returns the status of a response; 0 before it. */
const statusOf = (received: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);

const json = "Content-Type: application/json";
const declared = (bytes: number): readonly string[] => [json, `Content-Length: ${bytes}`];

describe("a stranger", () => {
  test("gets a response at every route before any byte of the body that is declared", async () => {
    const silent = targets.map((target) => ({ name: target.name, received: send(target, declared(hugeBytes)) }));
    await until(() => silent.every(({ received }) => statusOf(received()) > 0));
    expect(silent.filter(({ received }) => statusOf(received()) >= 500).map(({ name }) => name)).toEqual([]);
    expect(api.failed).toEqual([]);
  });

  test("is asked for a small body only where the credentials or the signature are in it", async () => {
    const waiting = mainTargets
      .filter(({ takesBody }) => takesBody)
      .map((target) => ({ ...target, received: send(target, declared(1000)) }));
    await until(() => waiting.every((one) => one.readsUnauthenticated || statusOf(one.received()) > 0));
    expect(waiting.filter((one) => statusOf(one.received()) === 0).map(({ name }) => name)).toEqual(
      waiting.filter((one) => one.readsUnauthenticated).map(({ name }) => name),
    );
  });

  test("does not take memory by what it declares, nor the memory of members by what it sends", async () => {
    const inbound = mainTargets.find(({ name }) => name === "POST /api/sms/twilio");
    if (inbound === undefined) throw new Error("no such route");
    const form = "Content-Type: application/x-www-form-urlencoded";
    const half = "a".repeat(unauthenticatedBodyBytesMax / 2);
    const held = Array.from({ length: 40 }, () =>
      send(inbound, [form, `Content-Length: ${unauthenticatedBodyBytesMax}`], half),
    );
    await until(() => held.some((received) => statusOf(received()) === 429));
    const declaring = Array.from({ length: 12 }, () =>
      send({ listener: () => main, line: "POST /providers/sendgrid/v3/mail/send" }, declared(20 * 1024 ** 2)),
    );
    const authorized = [`Authorization: Basic ${btoa(`${server.key}:`)}`];
    const body = JSON.stringify({ to: `a@${server.id}.restante.test`, subject: "Hi", text: "Hi" });
    const write = { listener: () => main, line: `POST /api/messages?server=${server.id}` };
    const written = send(write, [...authorized, json, `Content-Length: ${body.length}`], body);
    await until(() => statusOf(written()) > 0);
    expect(statusOf(written())).toBe(200);
    await until(() => declaring.every((received) => statusOf(received()) === 401));
  });
});

test("a key that anyone may use takes the memory of strangers", async () => {
  const target = { listener: () => main, line: "POST /providers/postmark/email" };
  const token = "X-Postmark-Server-Token: POSTMARK_API_TEST";
  const received = send(target, [token, ...declared(2 * 1024 ** 2)], "a".repeat(1024 ** 2));
  await until(() => statusOf(received()) > 0);
  expect(statusOf(received())).toBe(429);
});

describe("a member", () => {
  const authorized = (): readonly string[] => [`Authorization: Basic ${btoa(`${api.accountKey}:`)}`];

  test("takes no memory from others with idle connections, and gets 408 on a connection that is closed", async () => {
    const line = `POST /api/messages?server=${server.id}`;
    const idle = Array.from({ length: 12 }, () =>
      send({ listener: () => main, line }, [...authorized(), ...declared(50 * 1024 ** 2)], "{"),
    );
    const catcher = { listener: () => catcherListeners.get("mailpit") ?? main, line: "POST /api/v1/send" };
    idle.push(send(catcher, [`Authorization: Basic ${btoa(`x:${server.key}`)}`, ...declared(50 * 1024 ** 2)], "{"));
    const key = `Authorization: Bearer ${server.key}`;
    idle.push(
      send({ listener: () => main, line: "POST /providers/sendgrid/v3/mail/send" }, [key, ...declared(1e6)], "{"),
    );
    const body = JSON.stringify({ to: `a@${server.id}.restante.test`, subject: "Hi", text: "Hi" });
    const written = send(
      { listener: () => main, line },
      [...authorized(), json, `Content-Length: ${body.length}`],
      body,
    );
    await until(() => statusOf(written()) > 0);
    expect(statusOf(written())).toBe(200);
    // The requests are under way once each watches its body.
    await until(() => api.clock.appointmentCount >= idle.length);
    api.clock.advance(contentArrival.periodMs);
    await until(() => idle.every((received) => statusOf(received()) > 0));
    expect(idle.map((received) => statusOf(received()))).toEqual(idle.map(() => 408));
    expect(idle.every((received) => /connection: close/i.test(received()))).toBe(true);
  });

  const hostile: readonly (readonly [string, string])[] = [
    ["more values than the limit", `[${"{},".repeat(jsonValueCountMax)}{}]`],
    ["more nested arrays than the limit", "[".repeat(jsonDepthMax + 1)],
    ["150,000 nested arrays", "[".repeat(150_000) + "]".repeat(150_000)],
    ["nested objects in a known member", `{"to":${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}}`],
  ];

  test.each(hostile)("gets an error below 500 at every route for a body with %s", async (_title, body) => {
    const replies = targets
      .filter(({ takesBody }) => takesBody)
      .map((target) => {
        const isCatcher = target.listener() !== main;
        const fields = [`Authorization: Basic ${btoa(isCatcher ? `x:${server.key}` : `${server.key}:${server.key}`)}`];
        const tokens = [`Api-Key: ${server.key}`, `X-Postmark-Server-Token: ${server.key}`];
        return {
          name: target.name,
          received: send(target, [...fields, ...tokens, json, `Content-Length: ${body.length}`], body),
        };
      });
    await until(() => replies.every(({ received }) => statusOf(received()) > 0));
    const wrong = replies.map(({ name, received }) => [name, statusOf(received())] as const);
    expect(wrong.filter(([, status]) => status >= 500)).toEqual([]);
    expect(api.failed).toEqual([]);
  });

  test.each(hostile)("gets 413 at every route of the own API for a body with %s", async (_title, body) => {
    const replies = routeTable
      .filter((route) => route.body !== undefined)
      .map(({ method, path }) => ({
        name: `${method} ${path}`,
        received: send(
          { listener: () => main, line: `${method} ${filled(path)}` },
          [...authorized(), json, `Content-Length: ${body.length}`],
          body,
        ),
      }));
    await until(() => replies.every(({ received }) => statusOf(received()) > 0));
    const statuses = replies.map(({ name, received }) => [name, statusOf(received())]);
    expect(statuses).toEqual(replies.map(({ name }) => [name, 413]));
  });
});
