import { createNotifiers } from "../context-dependencies.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBackgroundTasks, type BackgroundTaskState } from "../../core/background-tasks.ts";
import { Problem } from "../../core/errors.ts";
import { createWebhook } from "../../operations/callbacks/webhooks.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { until } from "../../testing/until.test-aid.ts";
import { startChangeProcessing } from "./process-changes.ts";

const account = { keyId: "test", server: null };

let api: HttpTestServer;
let server: TestServer;
let logged: unknown[];
let suppressedCount: number;
let wakes: number;
let notify: () => void;
let stop: () => Promise<void>;
let states: () => readonly BackgroundTaskState[];
beforeEach(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  logged = [];
  suppressedCount = 0;
  wakes = 0;
  const tasks = createBackgroundTasks(api.clock, () => undefined);
  states = () => tasks.states();
  const none = (): void => undefined;
  const log = {
    debug: () => (suppressedCount += 1),
    info: none,
    warn: none,
    error: (fields: object, text: string) => logged.push([text, fields]),
  };
  const parts = {
    context: api.context,
    notifiers: {
      ...createNotifiers(),
      deliveries: { notify: () => (wakes += 1), listen: none },
      changes: { notify: none, listen: (action: () => void) => void (notify = action) },
    },
  };
  stop = startChangeProcessing(parts, { log, tasks });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stop();
  await api[Symbol.asyncDispose]();
});

async function addWebhook({ id } = server): Promise<void> {
  const request = { url: "http://app.test/hooks" };
  await createWebhook(api.context, account, { server: id, request });
  notify();
  await until(() => api.context.events.hasListeners(id));
}

const anyDelivery = { target: null, message: null, status: null, type: null, since: null, before: null };

const count = async ({ id } = server): Promise<number> => {
  return (await api.context.store.callbacks.listDeliveries(id, anyDelivery, { offset: 0, limit: 1000 })).length;
};

test("makes deliveries at once for changes of a server whose first target is new", async () => {
  await addWebhook();
  await api.deliver(server);
  await until(() => wakes === 1);
  expect(await count()).toBe(1);
  expect(states().find(({ task }) => task === "callbacks")).toMatchObject({ backlog: 0 });
});

test("finds changes without a notification within five seconds", async () => {
  await addWebhook();
  vi.spyOn(api.context.events, "publish").mockImplementation(() => undefined);
  await api.deliver(server);
  expect(await count()).toBe(0);
  await until(() => {
    api.clock.advance(5000);
    return wakes > 0;
  });
  expect(await count()).toBe(1);
});

test("retries after an outage of the store, and processes what was missed", async () => {
  await addWebhook();
  vi.spyOn(api.context.store.callbacks, "processChanges").mockRejectedValueOnce(new Problem("unavailable"));
  await api.deliver(server);
  await until(() => states()[0]?.state === "failing");
  await until(() => {
    api.clock.advance(1000);
    return wakes > 0;
  });
  await until(() => states()[0]?.state === "ok");
  expect([await count(), logged]).toEqual([1, []]);
});

test("skips changes that the journal no longer holds, and reports them", async () => {
  await addWebhook();
  vi.spyOn(api.context.store, "listChanges").mockResolvedValueOnce(undefined);
  await api.deliver(server);
  await until(() => logged.length > 0);
  expect(logged).toEqual([["changes skipped by callbacks", { server: server.id, count: 1 }]]);
  expect(states()[0]).toMatchObject({ failureCount: 1, lastFailure: { reason: "1 changes were skipped" } });
  await api.deliver(server);
  await until(() => wakes > 0);
  expect(await count()).toBe(1);
});

test.each([
  ["cannot be processed", new Error("unreadable detail")],
  ["is about a damaged message", new Problem("data_damaged")],
])("skips a change that %s, reports it, and processes the next ones", async (_, failure) => {
  await addWebhook();
  vi.spyOn(api.context.store, "getDetail").mockRejectedValueOnce(failure);
  await Promise.all([api.deliver(server), api.deliver(server)]);
  await until(() => wakes > 0);
  await until(() => logged.length > 0);
  expect(logged).toEqual([["callbacks of a change were skipped", { server: server.id, err: failure }]]);
  await vi.waitFor(async () => {
    expect(await count()).toBe(1);
  });
});

test("writes one line a minute about changes of a server that are skipped", async () => {
  await addWebhook();
  vi.spyOn(api.context.store, "getDetail").mockRejectedValue(new Error("unreadable detail"));
  await Promise.all(Array.from({ length: 30 }, async () => api.deliver(server)));
  await until(() => logged.length + suppressedCount === 30);
  api.clock.advance(60_000);
  await api.deliver(server);
  await until(() => logged.length > 1);
  const skipped = { server: server.id, err: new Error("unreadable detail") };
  expect(logged).toEqual([
    ["callbacks of a change were skipped", skipped],
    ["callbacks of a change were skipped", { ...skipped, suppressedCount: 29 }],
  ]);
});

/** Puts a server first in every list of servers with changes. */
function listFirst({ id }: TestServer): void {
  const { callbacks } = api.context.store;
  const list = callbacks.listLaggingServers.bind(callbacks);
  vi.spyOn(callbacks, "listLaggingServers").mockImplementation(async (limit) => {
    const lagging = await list(limit);
    return [...lagging.filter((one) => one.server === id), ...lagging.filter((one) => one.server !== id)];
  });
}

test("processes all servers although one query returns only some of them", async () => {
  const { callbacks } = api.context.store;
  const list = callbacks.listLaggingServers.bind(callbacks);
  const spy = vi.spyOn(callbacks, "listLaggingServers").mockImplementation(async () => list(2));
  const servers = [server, ...(await Promise.all(Array.from({ length: 4 }, async () => api.addServer())))];
  for (const one of servers) await addWebhook(one);
  await Promise.all(servers.map(async (one) => api.deliver(one)));
  await vi.waitFor(async () => {
    expect(await Promise.all(servers.map(count))).toEqual([1, 1, 1, 1, 1]);
  });
  expect(new Set(spy.mock.calls.map(([limit]) => limit))).toEqual(new Set([1000]));
});

test("processes the other servers while the changes of one always fail", async () => {
  const failing = await api.addServer();
  await addWebhook(failing);
  await addWebhook();
  listFirst(failing);
  const { callbacks } = api.context.store;
  const process = callbacks.processChanges.bind(callbacks);
  const calls = vi.spyOn(callbacks, "processChanges").mockImplementation(async (changes) => {
    if (changes.server === failing.id) throw new Problem("internal");
    return process(changes);
  });
  await api.deliver(failing);
  await until(() => calls.mock.calls.length > 0);
  await api.deliver(server);
  await until(() => wakes > 0);
  expect([await count(failing), await count()]).toEqual([0, 1]);
  expect(states()[0]).toMatchObject({ state: "failing" });
  // The failing server is attempted again after its pause.
  calls.mockRestore();
  await until(() => {
    api.clock.advance(1000);
    return wakes > 1;
  });
  expect(await count(failing)).toBe(1);
});

test("does not count the pending deliveries of a full server again with each change of another", async () => {
  const full = await api.addServer();
  await addWebhook(full);
  await addWebhook();
  await api.deliver(server);
  await until(() => wakes === 1);
  const { callbacks } = api.context.store;
  const [delivery] = await callbacks.listDeliveries(server.id, anyDelivery, { offset: 0, limit: 1 });
  const list = callbacks.listDeliveries.bind(callbacks);
  const lists = vi.spyOn(callbacks, "listDeliveries").mockImplementation(async (id, filter, page) => {
    if (id === full.id && delivery !== undefined) return [delivery];
    return list(id, filter, page);
  });
  const checkCount = (): number => lists.mock.calls.filter(([id]) => id === full.id).length;
  await api.deliver(full);
  await until(() => checkCount() > 0);
  for (let made = 1; made <= 5; made += 1) {
    await api.deliver(server);
    await until(() => wakes === made + 1);
  }
  expect(checkCount()).toBe(1);
  lists.mockRestore();
  await until(() => {
    api.clock.advance(1000);
    return wakes > 6;
  });
  expect(await count(full)).toBe(1);
});

test("reads a mail once for the criteria of all webhooks, and not for those that its subject decides", async () => {
  const add = async (subject: string): Promise<void> => {
    const request = { url: "http://app.test/hooks", criteria: { subject, body: "Hello there" } };
    await createWebhook(api.context, account, { server: server.id, request });
  };
  for (let number = 0; number < 10; number += 1) await add("Hello");
  await add("Goodbye");
  notify();
  await until(() => api.context.events.hasListeners(server.id));
  const reads = vi.spyOn(api.context.store, "getRaw");
  await api.deliver(server, { subject: "Goodnight" });
  await api.deliver(server);
  await until(() => wakes > 0);
  await vi.waitFor(async () => {
    expect(await count()).toBe(10);
  });
  expect(reads).toHaveBeenCalledTimes(1);
});

test("stops subscribing when the last target is removed, and ends its task", async () => {
  await addWebhook();
  const [target] = await api.context.store.callbacks.listTargets(server.id);
  await api.context.store.callbacks.removeTarget(target?.id ?? "");
  notify();
  await until(() => !api.context.events.hasListeners(server.id));
  await stop();
  expect(states()).toEqual([]);
});
