import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Problem } from "../core/errors.ts";
import { openHttpTestServer, type HttpTestServer } from "../testing/http-test-server.test-aid.ts";
import type { WireError } from "./wire/error-schema.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer({ limits: { wrongKeyCountPerMinuteMax: 3 } });
});
afterAll(async () => api[Symbol.asyncDispose]());

/** Opens a server whose readiness fails with the error. */
const openFailingServer = async (error: unknown): Promise<HttpTestServer> =>
  openHttpTestServer({
    health: {
      live: () => true,
      ready: async () => {
        throw error;
      },
      metricsText: async () => "",
      taskStates: () => [],
    },
  });

describe("internal errors", () => {
  test("respond 500 without details, and are logged with the id of the response", async () => {
    const error = new Error("select secret from /var/lib/restante");
    await using broken = await openFailingServer(error);
    const reply = await broken.ask("GET /readyz");
    expect(reply.statusCode).toBe(500);
    expect(reply.json()).toEqual({
      type: "InternalError",
      status: 500,
      message: "Internal server error; nothing was stored",
      errors: [],
    });
    const id = String(reply.headers["x-request-id"]);
    expect(broken.failed).toEqual([{ id, method: "GET", route: "/readyz", error }]);
  });

  test("respond 503 or 507 with the catalogue's text, and are logged with their cause", async () => {
    for (const [code, status] of [
      ["unavailable", 503],
      ["storage_full", 507],
    ] as const) {
      const cause = new Error("SQLITE_FULL: /var/lib");
      const problem = new Problem(code, { cause, retryAfterSeconds: 2 });
      await using broken = await openFailingServer(problem);
      const reply = await broken.ask("GET /readyz");
      expect([reply.statusCode, reply.headers["retry-after"]]).toEqual([status, "2"]);
      expect(reply.body).not.toContain("SQLITE");
      expect(broken.failed[0]?.error).toBe(problem);
    }
  });

  test("respond 500 when the thrown value is not an error", async () => {
    await using broken = await openFailingServer("a text");
    expect((await broken.ask("GET /readyz")).statusCode).toBe(500);
  });
});

describe("wrong keys", () => {
  test("respond 429 with Retry-After after too many from one address until the minute is over; others are not affected", async () => {
    const ask = async (key: string, remoteAddress: string): ReturnType<HttpTestServer["ask"]> =>
      api.ask("GET /api/servers", { key, remoteAddress });
    for (let tries = 0; tries < 3; tries += 1) expect((await ask("wrong", "192.0.2.1")).statusCode).toBe(401);
    const reply = await ask("wrong", "192.0.2.1");
    expect([reply.statusCode, reply.headers["retry-after"]]).toEqual([429, "60"]);
    expect(reply.json()).toMatchObject({ type: "TooManyRequests", status: 429, errors: [] });
    expect((await ask("wrong", "192.0.2.2")).statusCode).toBe(401);
    api.clock.advance(60_000);
    expect((await ask("wrong", "192.0.2.1")).statusCode).toBe(401);
  });

  test("do not include requests without a key", async () => {
    for (let tries = 0; tries < 9; tries += 1) {
      expect((await api.ask("GET /api/servers", { key: null, remoteAddress: "192.0.2.3" })).statusCode).toBe(401);
    }
  });
});

describe("the three ways to send a key", () => {
  test.each([
    ["Basic user name", (key: string) => `Basic ${Buffer.from(`${key}:`).toString("base64")}`],
    ["Basic password", (key: string) => `Basic ${Buffer.from(`api:${key}`).toString("base64")}`],
    ["Bearer", (key: string) => `Bearer ${key}`],
  ])("are accepted: %s", async (_way, write) => {
    const reply = await api.ask("GET /api/servers", { key: null, headers: { authorization: write(api.accountKey) } });
    expect(reply.statusCode).toBe(200);
  });
});

describe("paths", () => {
  test("treat repeated slashes at the start as one", async () => {
    const reply = await api.ask("GET //api/servers");
    expect([reply.statusCode, (await api.ask("GET ///api/servers?")).statusCode]).toEqual([200, 200]);
    expect((await api.ask("GET /api//servers")).statusCode).toBe(404);
  });

  test.each(["/", "/api", "/api/", "/API/servers", "/api/unknown", "/api/servers/x/y/z", "/favicon.ico"])(
    "respond 404: %s",
    async (path) => {
      expect((await api.ask(`GET ${path}`)).json()).toMatchObject({ type: "NotFound", status: 404, errors: [] });
    },
  );

  test.each(["/%", "/%zz", "/api/%ff", "/api/messages/%c0%af"])(
    "respond 404 for invalid percent-encoding: %s",
    async (path) => {
      expect((await api.ask(`GET ${path}`)).statusCode).toBe(404);
    },
  );
});

describe("the observer", () => {
  test("is notified of every response, with the route and without identifiers", async () => {
    await using own = await openHttpTestServer();
    const server = await own.addServer();
    await own.ask(`GET /api/messages?server=${server.id}`);
    await own.ask("GET /nowhere/at/all");
    await own.ask("PATCH /api/servers");
    expect(own.answered).toEqual([
      { method: "GET", route: "/api/messages", status: 200, durationMs: expect.any(Number) as number },
      { method: "GET", route: "unmatched", status: 404, durationMs: expect.any(Number) as number },
      { method: "PATCH", route: "unmatched", status: 405, durationMs: expect.any(Number) as number },
    ]);
    for (const { durationMs } of own.answered) expect(durationMs).toBeGreaterThanOrEqual(0);
  });
});

describe("a forced list envelope", () => {
  test.each([
    ["array", "mailosaur-node/11.0.0", "["],
    ["items", "curl/8", "{"],
  ] as const)("%s for %s", async (listEnvelope, userAgent, start) => {
    await using own = await openHttpTestServer({ listEnvelope });
    const server = await own.addServer();
    const headers = { "user-agent": userAgent };
    const lines = ["GET /api/servers", "GET /api/keys", `GET /api/messages?server=${server.id}`];
    for (const line of lines) expect((await own.ask(line, { headers })).body.charAt(0)).toBe(start);
    const found = await own.ask(`POST /api/messages/search?server=${server.id}`, { headers, body: { subject: "x" } });
    expect(found.body.charAt(0)).toBe(start);
  });
});

test("an error response is compact JSON that starts with its type", async () => {
  const reply = await api.ask("GET /api/messages");
  expect(reply.body).toMatch(
    /^\{"type":"ValidationError","status":400,"message":"[^"]+","errors":\[\{"field":"server","detail":\[\{/,
  );
  expect(reply.json<WireError>().errors[0]?.detail[0]).toEqual({
    description: "Give the id of a server",
    code: "required",
  });
});
