import type { Context } from "../context.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Arrival } from "../../core/smtp-session.ts";
import { Problem } from "../../core/errors.ts";
import type { LateDelivery } from "../../core/fault.ts";
import type { Message } from "../../core/message.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { receiveEmail } from "./receive-email.ts";
import { emptyServer } from "../messages/delete-messages.ts";
import { getMessage } from "../services/reading/get-message.ts";
import { arriveDue } from "./arrive-due.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
let other: TestServer;
beforeEach(async () => {
  api = await openHttpTestServer();
  server = await api.addServer("one");
  other = await api.addServer("other");
});
afterEach(async () => api[Symbol.asyncDispose]());

const account = { keyId: "test", server: null };
const raw = Buffer.from("From: App <app@app.example>\r\nTo: a@one.test\r\nSubject: Late\r\n\r\nbare\nHi\r\n");
const session = { ehlo: "app", clientAddress: "192.0.2.7", protocol: "ESMTP", tls: null, authenticatedAs: null };

function arrival(late: readonly LateDelivery[], recipients: readonly TestServer[] = [server]): Arrival {
  const hits = late.map((one) => {
    return { server: one.server, rule: "late", stage: "rcpt", action: "deliver-later" } as const;
  });
  const resolved = recipients.map((one) => ({ address: `x@${one.id}.restante.test`, server: one.id }));
  return { mailFrom: "app@app.example", recipients: resolved, raw, session, faults: hits, late };
}

const late = (own: TestServer, deliverAfterMs = 60_000): LateDelivery => ({ server: own.id, deliverAfterMs });
const idsIn = async (own: TestServer): Promise<readonly string[]> =>
  (await api.ask(`GET /api/messages?server=${own.id}`)).json<readonly { id: string }[]>().map(({ id }) => id);
const outcomes = async (): Promise<readonly string[]> => (await arriveDue(api.context)).map(({ outcome }) => outcome);
async function onlyMessage(own: TestServer): Promise<Message> {
  const ids = await idsIn(own);
  expect(ids).toHaveLength(1);
  return getMessage(api.context, account, ids[0] ?? "");
}

test("becomes visible at its instant, unchanged, with envelope, session and the instant of its acceptance", async () => {
  const acceptedAt = api.clock.now();
  await receiveEmail(api.context, arrival([late(server)]));
  expect(await idsIn(server)).toEqual([]);
  api.clock.advance(59_999);
  expect(await outcomes()).toEqual([]);
  api.clock.advance(1);
  expect(await outcomes()).toEqual(["arrived"]);
  expect(await outcomes()).toEqual([]);
  const message = await onlyMessage(server);
  expect(message).toMatchObject({
    received: new Date(acceptedAt + 60_000).toISOString(),
    provider: null,
    metadata: {
      ehlo: "app",
      mailFrom: "app@app.example",
      accepted: new Date(acceptedAt).toISOString(),
      faults: [{ rule: "late", stage: "rcpt", action: "deliver-later" }],
    },
  });
  expect(Buffer.from((await api.context.store.getRaw(message.id)) ?? [])).toEqual(raw);
});

test("matches receivedAfter by the instant at which it became visible, and wakes waiting searches", async () => {
  await receiveEmail(api.context, arrival([late(server)]));
  api.clock.advance(1000);
  const receivedAfter = new Date(api.clock.now()).toISOString();
  const changes: unknown[] = [];
  api.context.events.subscribe(server.id, (event) => changes.push(event));
  api.clock.advance(59_000);
  await outcomes();
  expect(changes).toMatchObject([{ change: { kind: "received" } }]);
  const list = await api.ask(`GET /api/messages?server=${server.id}&receivedAfter=${receivedAfter}`);
  expect(list.json()).toMatchObject([{ subject: "Late" }]);
});

test("holds only the copies of servers that deliver late, and hides rules of other servers", async () => {
  await receiveEmail(api.context, arrival([late(server), late(server, 1)], [server, other]));
  expect((await onlyMessage(other)).metadata).not.toHaveProperty("faults");
  expect(await idsIn(server)).toEqual([]);
  api.clock.advance(1);
  expect(await outcomes()).toEqual([]);
  api.clock.advance(60_000);
  expect(await outcomes()).toEqual(["arrived"]);
  expect(await idsIn(server)).toHaveLength(1);
  expect(await idsIn(other)).toHaveLength(1);
});

test("stores nothing when one of the copies cannot be stored", async () => {
  await api.context.store.updateServer(other.id, { quota: { messages: 0, bytes: null } });
  const held = receiveEmail(api.context, arrival([late(server)], [server, other]));
  await expect(held).rejects.toMatchObject({ code: "quota_exceeded" });
  const both = receiveEmail(api.context, arrival([late(server), late(other)], [server, other]));
  await expect(both).rejects.toMatchObject({ code: "quota_exceeded" });
  expect((await api.context.store.scheduledMessages.queue.countPending()).count).toBe(0);
});

test("leaves out servers that were deleted, and rejects a mail without others", async () => {
  await api.context.store.deleteServer(server.id);
  await receiveEmail(api.context, arrival([late(server)], [server, other]));
  await receiveEmail(api.context, arrival([late(server), late(other)], [server, other]));
  await expect(receiveEmail(api.context, arrival([late(server)]))).rejects.toMatchObject({ code: "recipient_unknown" });
  await api.context.store.deleteServer(other.id);
  await expect(receiveEmail(api.context, arrival([late(server)], [server, other]))).rejects.toMatchObject({
    code: "recipient_unknown",
  });
});

test("arrives though the quota of its server has been reached since, because it was counted before", async () => {
  await api.context.store.updateServer(server.id, { quota: { messages: 1, bytes: null } });
  await receiveEmail(api.context, arrival([late(server)]));
  await expect(receiveEmail(api.context, arrival([]))).rejects.toMatchObject({ code: "quota_exceeded" });
  await api.context.store.updateServer(server.id, { quota: { messages: 0, bytes: null } });
  api.clock.advance(60_000);
  expect(await outcomes()).toEqual(["arrived"]);
});

test("is deleted when its server is emptied", async () => {
  await receiveEmail(api.context, arrival([late(server)]));
  await emptyServer(api.context, account, server.id);
  expect(await outcomes()).toEqual(["deleted"]);
  api.clock.advance(60_000);
  expect(await outcomes()).toEqual([]);
  expect(await idsIn(server)).toEqual([]);
});

test("arrives exactly once after a crash between its commit and its removal", async () => {
  await receiveEmail(api.context, arrival([late(server)]));
  api.clock.advance(60_000);
  const { store } = api.context;
  const unavailable = (): Promise<never> => Promise.reject(new Problem("unavailable"));
  const scheduledMessages = {
    ...store.scheduledMessages,
    queue: { ...store.scheduledMessages.queue, record: unavailable },
  };
  const crashing: Context = { ...api.context, store: { ...store, scheduledMessages } };
  await expect(arriveDue(crashing)).rejects.toMatchObject({ code: "unavailable" });
  await store.scheduledMessages.queue.releaseLeases(api.clock.now());
  expect(await outcomes()).toEqual(["arrived"]);
  await onlyMessage(server);
});
