import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { BackgroundTaskState } from "../../../core/background-tasks.ts";
import { Problem } from "../../../core/errors.ts";
import { openHttpTestServer, type HttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { WireStatus } from "../../wire/status-schema.ts";

let api: HttpTestServer;
let ill: HttpTestServer;
const stranger = "192.0.2.1";

beforeAll(async () => {
  api = await openHttpTestServer({ hostRules: { bindAddresses: ["0.0.0.0"], hosts: [] } });
  const health = {
    live: () => false,
    ready: async () => false,
    metricsText: async () => "# x\n",
    taskStates: () => [],
  };
  ill = await openHttpTestServer({ health, trustLoopback: false });
});
afterAll(async () => {
  await Promise.all([api[Symbol.asyncDispose](), ill[Symbol.asyncDispose]()]);
});

describe.each(["/healthz", "/readyz"])("GET %s", (path) => {
  test("responds without a key to any client, such as probes", async () => {
    const headers = { "x-forwarded-for": stranger, host: "198.51.100.7:8025" };
    expect((await api.ask(`GET ${path}`, { key: null, remoteAddress: stranger, headers })).statusCode).toBe(200);
  });

  test("ignores a key, so that it works during outages of the store", async () => {
    expect((await api.ask(`GET ${path}`, { key: "wrong-key", remoteAddress: stranger })).statusCode).toBe(200);
  });
});

describe("GET /metrics", () => {
  const path = "/metrics";
  test.each(["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])(
    "responds without a key to %s",
    async (remoteAddress) => {
      expect((await api.ask(`GET ${path}`, { key: null, remoteAddress })).statusCode).toBe(200);
    },
  );

  test.each(["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"])("requires a key from %s", async (remoteAddress) => {
    expect((await api.ask(`GET ${path}`, { key: null, remoteAddress })).statusCode).toBe(401);
    expect((await api.ask(`GET ${path}`, { remoteAddress })).statusCode).toBe(200);
  });

  test.each([{ "x-forwarded-for": "192.0.2.1" }, { forwarded: "for=192.0.2.1" }, { host: "evil.example" }])(
    "requires a key for a request that %j shows to be remote",
    async (headers) => {
      const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
      expect((await api.ask(`GET ${path}`, { key: null, headers: given })).statusCode).toBe(401);
    },
  );

  test("accepts a key that was valid for the address before during an outage, and responds 503 to any other", async () => {
    await using api = await openHttpTestServer();
    const ask = async (key: string, remoteAddress = stranger) =>
      (await api.ask(`GET ${path}`, { key, remoteAddress })).statusCode;
    expect(await ask(api.accountKey)).toBe(200);
    vi.spyOn(api.context.store, "findKey").mockRejectedValue(new Problem("unavailable"));
    expect(await ask(api.accountKey)).toBe(200);
    expect(await ask(api.accountKey, "192.0.2.2")).toBe(503);
    expect(await ask("another-key")).toBe(503);
    expect((await api.ask("GET /api/servers", { remoteAddress: stranger })).statusCode).toBe(503);
  });

  test("requires a key from loopback when loopback is not trusted", async () => {
    expect((await ill.ask(`GET ${path}`, { key: null })).statusCode).toBe(401);
  });
});

describe("responses of probes", () => {
  test("show liveness, readiness and the metrics", async () => {
    expect((await api.ask("GET /healthz", { key: null })).body).toBe("ok\n");
    expect((await api.ask("GET /readyz", { key: null })).body).toBe("ready\n");
    const metrics = await api.ask("GET /metrics", { key: null });
    expect([metrics.body, metrics.headers["content-type"]]).toEqual([
      "# no metrics\n",
      "text/plain; version=0.0.4; charset=utf-8",
    ]);
  });

  test("are 503 when the process is not live or not ready", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      const reply = await ill.ask(`GET ${path}`);
      expect(reply.statusCode).toBe(503);
      expect(reply.json()).toMatchObject({ type: "Unavailable", status: 503, errors: [] });
    }
  });
});

describe("GET /api/status", () => {
  const failing: BackgroundTaskState = {
    task: "text_index",
    state: "failing",
    lastSuccessAt: null,
    lastFailure: { at: Date.UTC(2026, 0, 1), reason: "ERR_WORKER_OUT_OF_MEMORY: heap", retryInMs: 30_000 },
    failureCount: 3,
    backlog: 12,
    oldestWaitingMs: 1500,
    degrades: "searches of bodies are slow",
  };
  const health = {
    live: () => true,
    ready: async () => true,
    metricsText: async () => "",
    taskStates: () => [failing, { ...failing, task: "heartbeat", degrades: null }],
  };

  test("shows every task with its last failure, and the degraded state", async () => {
    await using degraded = await openHttpTestServer({ health });
    const { status, tasks } = (await degraded.ask("GET /api/status")).json<WireStatus>();
    expect([status, tasks.length]).toEqual(["degraded", 2]);
    expect(tasks[0]).toEqual({
      task: "text_index",
      state: "failing",
      lastSuccess: null,
      lastFailure: { at: "2026-01-01T00:00:00.000Z", reason: "ERR_WORKER_OUT_OF_MEMORY: heap", retryInMs: 30_000 },
      failures: 3,
      backlog: 12,
      oldestWaitingMs: 1500,
      degrades: "searches of bodies are slow",
    });
  });

  test("is ok while no task fails, and responds 403 to a restricted key", async () => {
    expect((await api.ask("GET /api/status")).json()).toEqual({ status: "ok", tasks: [] });
    const { key } = await api.addServer();
    expect((await api.ask("GET /api/status", { key })).statusCode).toBe(403);
  });

  test("makes /readyz degraded, with a line for each failure that affects users", async () => {
    await using degraded = await openHttpTestServer({ health });
    const reply = await degraded.ask("GET /readyz", { key: null });
    expect([reply.statusCode, reply.body]).toEqual([200, "degraded\ntext_index: searches of bodies are slow\n"]);
  });
});
