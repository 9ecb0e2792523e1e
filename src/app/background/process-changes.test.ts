import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBackgroundTasks, type BackgroundTaskState } from "../../core/background-tasks.ts";
import { Problem } from "../../core/errors.ts";
import { createWebhook } from "../../operations/callbacks/webhooks.ts";
import {
  openHttpTestServer,
  until,
  type HttpTestServer,
  type TestServer,
} from "../../testing/http-test-server.test-aid.ts";
import { startChangeProcessing } from "./process-changes.ts";

const account = { keyId: "test", server: null };

let api: HttpTestServer;
let server: TestServer;
let logged: unknown[];
let wakes: number;
let notify: () => void;
let stop: () => Promise<void>;
let states: () => readonly BackgroundTaskState[];
beforeEach(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  logged = [];
  wakes = 0;
  const tasks = createBackgroundTasks(api.clock, () => undefined);
  states = () => tasks.states();
  const none = (): void => undefined;
  const log = {
    debug: none,
    info: none,
    warn: none,
    error: (fields: object, text: string) => logged.push([text, fields]),
  };
  const parts = {
    context: api.context,
    wakeDeliveries: () => (wakes += 1),
    onTargetNotification: (action: () => void) => {
      notify = action;
    },
  };
  stop = startChangeProcessing(parts, { log, tasks });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stop();
  await api[Symbol.asyncDispose]();
});

async function addWebhook(): Promise<void> {
  const request = { url: "http://app.test/hooks" };
  await createWebhook(api.context, account, { server: server.id, request });
  notify();
  await until(() => api.context.events.hasListeners(server.id));
}

const count = async (): Promise<number> => {
  const none = { target: null, message: null, status: null, type: null, since: null, before: null };
  return (await api.context.store.callbacks.listDeliveries(server.id, none, { offset: 0, limit: 1000 })).length;
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

test("skips a change that cannot be processed, reports it, and processes the next ones", async () => {
  await addWebhook();
  const failure = new Error("unreadable detail");
  vi.spyOn(api.context.store, "getDetail").mockRejectedValueOnce(failure);
  await Promise.all([api.deliver(server), api.deliver(server)]);
  await until(() => wakes > 0);
  await until(() => logged.length > 0);
  expect(logged).toEqual([["callbacks of a change were skipped", { server: server.id, err: failure }]]);
  await vi.waitFor(async () => {
    expect(await count()).toBe(1);
  });
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
