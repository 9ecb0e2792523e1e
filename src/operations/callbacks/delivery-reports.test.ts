import { afterEach, beforeEach, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import { decodeDeliveryContent } from "../../egress/callbacks/delivery-content.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { createChangeProcessor, makeReports } from "./process-changes.ts";
import { createWebhook } from "./webhooks.ts";

let api: HttpTestServer;
let server: TestServer;
beforeEach(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  const request = { url: "http://app.test/hooks", events: ["message.delivery"] } as const;
  await createWebhook(api.context, { keyId: "test", server: null }, { server: server.id, request });
});
afterEach(async () => api[Symbol.asyncDispose]());

/** Sends a mail through the relay and claims its entry. */
async function sendOutside(): Promise<{
  readonly id: MessageId;
  readonly finish: (status: "Sent" | "Failed") => Promise<void>;
}> {
  const body = { to: "friend@outside.example", subject: "Hello", text: "x", send: true };
  const { id } = (await api.ask(`POST /api/messages?server=${server.id}`, { body })).json<{ id: MessageId }>();
  const { outbox } = api.context.store;
  const now = api.clock.now();
  const [entry] = await outbox.queue.claim({
    now,
    leaseEndsAt: now + 60_000,
    lease: "test",
    keys: [{ key: "", limit: 1 }],
  });
  return {
    id,
    finish: async (status) => {
      const lastError = status === "Failed" ? "550 5.1.1 No such user" : null;
      await outbox.queue.record([{ id: entry?.id ?? "", lease: "test", status, dueAt: null, lastError, at: now }]);
    },
  };
}

async function processAll(): Promise<void> {
  const processor = createChangeProcessor(api.context);
  for (const one of await api.context.store.callbacks.listLaggingServers(10)) await processor.process(one);
}

async function reports(): Promise<readonly unknown[]> {
  const filter = { target: null, message: null, status: null, type: "message.delivery", since: null, before: null };
  const found = await api.context.store.callbacks.listDeliveries(server.id, filter, { offset: 0, limit: 10 });
  return found.map(({ content }) => {
    const decoded = content === null ? null : decodeDeliveryContent(content);
    return decoded?.kind === "webhook" ? decoded.data : null;
  });
}

test("reports a message that the relay has accepted, once", async () => {
  const { id, finish } = await sendOutside();
  await processAll();
  expect(await makeReports(api.context)).toEqual({ hasMore: false, errors: [] });
  expect(await reports()).toEqual([]);
  await finish("Sent");
  await makeReports(api.context);
  await makeReports(api.context);
  expect(await reports()).toMatchObject([{ id, subject: "Hello", delivery: { status: "Sent", attempts: 1 } }]);
});

test("reports a message once when two nodes make its report", async () => {
  const { finish } = await sendOutside();
  await finish("Sent");
  const { callbacks } = api.context.store;
  const stale = await callbacks.listPendingReports(10);
  await makeReports(api.context);
  const late = { ...callbacks, listPendingReports: async () => stale };
  await makeReports({ ...api.context, store: { ...api.context.store, callbacks: late } });
  expect(await reports()).toHaveLength(1);
  expect(await callbacks.listPendingReports(10)).toEqual([]);
});

test("drops a report that fails, makes the others, and keeps all while the store is unavailable", async () => {
  const sent = [await sendOutside(), await sendOutside(), await sendOutside()];
  for (const { finish } of sent) await finish("Sent");
  const failing = (problem: Error): typeof api.context => {
    const getDetail = async (id: MessageId): Promise<Uint8Array | undefined> => {
      if (id === sent[1]?.id) throw problem;
      return api.context.store.getDetail(id);
    };
    return { ...api.context, store: { ...api.context.store, getDetail } };
  };
  await expect(makeReports(failing(new Problem("unavailable")))).rejects.toMatchObject({ code: "unavailable" });
  expect(await reports()).toEqual([]);
  const damaged = new Problem("data_damaged");
  expect(await makeReports(failing(damaged))).toEqual({ hasMore: false, errors: [damaged] });
  expect(await reports()).toHaveLength(2);
  expect(await makeReports(api.context)).toEqual({ hasMore: false, errors: [] });
});

test("reports a message once when it was delivered before its change was processed", async () => {
  const { finish } = await sendOutside();
  await finish("Sent");
  await processAll();
  await makeReports(api.context);
  expect(await reports()).toHaveLength(1);
});

test("reports a permanent failure from the journal", async () => {
  const { id, finish } = await sendOutside();
  await processAll();
  await finish("Failed");
  await processAll();
  expect(await reports()).toMatchObject([{ id, delivery: { status: "Failed", lastError: "550 5.1.1 No such user" } }]);
});
