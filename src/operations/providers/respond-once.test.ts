import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type HttpTestServer, openHttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import { until } from "../../testing/until.test-aid.ts";
import type { ProviderCaller } from "./provider-session.ts";
import { respondOnce } from "./respond-once.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const caller: ProviderCaller = { principal: { keyId: "k", server: null }, provider: "acme", isKnown: true };
let key = "";
let calls = 0;
beforeEach(() => {
  key = crypto.randomUUID();
  calls = 0;
});
const respond = async (status = 200): Promise<{ status: number; call: number }> => ({ status, call: (calls += 1) });
const once = async (
  changes: { content?: unknown; respond?: () => Promise<unknown>; caller?: ProviderCaller; context?: object } = {},
): Promise<unknown> => {
  const { content = { to: "a" }, caller: by = caller, context = {} } = changes;
  return respondOnce({ ...api.context, ...context }, by, {
    key,
    content,
    respond: changes.respond ?? (() => respond()),
  });
};

describe("respondOnce", () => {
  test("returns the first response for 24 hours", async () => {
    expect(await once()).toEqual({ status: 200, call: 1 });
    api.clock.advance(24 * 3_600_000 - 1);
    expect(await once()).toEqual({ status: 200, call: 1 });
    api.clock.advance(1);
    expect(await once()).toEqual({ status: 200, call: 2 });
  });

  test("rejects other content", async () => {
    await once();
    await expect(once({ content: { to: "b" } })).rejects.toMatchObject({ code: "conflict" });
  });

  test("tells callers and providers apart", async () => {
    await once();
    await once({ caller: { ...caller, provider: "other" } });
    await once({ caller: { ...caller, principal: { keyId: "k2", server: null } } });
    expect(calls).toBe(3);
  });

  test("keeps neither errors nor responses other than 2xx", async () => {
    await expect(once({ respond: () => Promise.reject(new Error("refused")) })).rejects.toThrow("refused");
    expect(await once({ respond: () => respond(422) })).toMatchObject({ status: 422 });
    expect(await once()).toMatchObject({ status: 200, call: 2 });
  });

  test("shares the response with concurrent requests, whose content must be equal", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = async (): Promise<unknown> => gate.promise.then(() => respond());
    const [first, second] = [once({ respond: slow }), once({ respond: slow })];
    await expect(once({ content: 2 })).rejects.toMatchObject({ code: "conflict" });
    gate.resolve();
    expect(await Promise.all([first, second])).toEqual([
      { status: 200, call: 1 },
      { status: 200, call: 1 },
    ]);
  });

  test("waits for the response of another node", async () => {
    const gate = Promise.withResolvers<void>();
    const first = once({ respond: async () => gate.promise.then(() => respond()) });
    await until(() => api.context.onceRequests.size === 1);
    const appointments = api.clock.appointmentCount;
    const second = once({ context: { onceRequests: new Map() } });
    await until(() => api.clock.appointmentCount > appointments);
    gate.resolve();
    await first;
    api.clock.advance(100);
    expect(await second).toEqual({ status: 200, call: 1 });
  });

  test.each([
    ["recorded", "putObject", 200],
    ["withdrawn", "removeObject", 422],
  ] as const)("returns the response and reports the failure when it cannot be %s", async (_, method, status) => {
    const { providerObjects } = api.context.store;
    const broken = new Error("the disk is full");
    const spy = vi.spyOn(providerObjects, method);
    const reports: unknown[] = [];
    const onceTask = { succeeded: () => reports.push("ok"), failed: (error: unknown) => reports.push(error) };
    const fail = async (): Promise<unknown> => {
      spy.mockRejectedValueOnce(broken);
      return respond(status);
    };
    expect(await once({ respond: fail, context: { onceTask } })).toEqual({ status, call: 1 });
    expect(reports).toEqual([broken]);
    spy.mockRestore();
  });

  test("processes a repeat anew a minute after a process has crashed", async () => {
    void once({ respond: () => Promise.withResolvers<never>().promise });
    await until(() => api.context.onceRequests.size === 1);
    const repeat = once({ context: { onceRequests: new Map() } });
    const ended = new AbortController();
    void repeat.finally(() => ended.abort());
    await until(() => {
      api.clock.advance(1000);
      return ended.signal.aborted;
    });
    expect(await repeat).toEqual({ status: 200, call: 1 });
  });
});
