import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ServerEvent } from "../../core/events.ts";
import type { MessageId } from "../../core/ids.ts";
import { defaultLimits } from "../../core/limits.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { runOnce } from "../../queue/run-once.test-aid.ts";
import { WorkerCallFailed } from "../../workers/worker-slot.ts";
import { unreadable } from "../services/reading/email-reader.ts";
import { readEmailWhole } from "../services/reading/read-email.ts";
import { receiveEmail } from "./receive-email.ts";
import { type ReparseContext, reparsePausesMs, reparseQueue, type ReparseResult } from "./store-messages.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
beforeEach(async () => {
  // Removes entries of earlier tests.
  const { queue } = api.context.store.reparses;
  const lease = "clear";
  const claim = { now: Number.MAX_SAFE_INTEGER, leaseEndsAt: 0, lease, keys: [{ key: "", limit: 100 }] };
  await queue.record((await queue.claim(claim)).map(({ id }) => ({ id, lease, dueAt: null })));
});
afterAll(() => api[Symbol.asyncDispose]());

const raw = Buffer.from("From: a@b.example\r\nSubject: At last\r\n\r\nYour code is 804 219\r\n");

async function receiveUnread(): Promise<MessageId> {
  const unread = { ...api.context, readEmail: () => unreadable };
  const recipients = [{ address: `x@${server.id}.restante.test`, server: server.id }];
  const shared = { clientAddress: "127.0.0.1", protocol: "ESMTP", tls: null, authenticatedAs: null } as const;
  const session = { ehlo: "b.example", ...shared };
  const faults = [{ rule: "slow", stage: "data", action: "throttle", server: null } as const];
  const [id] = await receiveEmail(unread, { raw, recipients, mailFrom: "sender@b.example", session, faults });
  if (id === undefined) throw new Error("the mail was not stored");
  return id;
}

/** Parses due mails again; returns the result of the first, undefined when none was due. */
async function reparseNext(context: ReparseContext): Promise<ReparseResult | undefined> {
  const results: ReparseResult[] = [];
  await runOnce(
    reparseQueue(context, (result) => results.push(result)),
    api.clock,
  );
  return results[0];
}

const show = async (id: string): Promise<unknown> => (await api.ask(`GET /api/messages/${id}`)).json();
const contextWith = (reparse: ReparseContext["reparse"]): ReparseContext => ({ ...api.context, reparse });
const succeeding = (): ReparseContext => contextWith(async (bytes) => readEmailWhole(bytes, defaultLimits));
const failing = (): ReparseContext => contextWith(() => Promise.reject(new WorkerCallFailed("too slow")));

test("parses an unreadable mail again after a minute and updates lists, searches and waiters", async () => {
  const id = await receiveUnread();
  expect(await reparseNext(succeeding())).toBeUndefined();
  api.clock.advance(reparsePausesMs[0]);
  const events: ServerEvent[] = [];
  const unsubscribe = api.context.events.subscribe(server.id, (event) => events.push(event));
  expect(await reparseNext(succeeding())).toMatchObject({ id, attempts: 1, outcome: "read" });
  unsubscribe();
  expect(events).toMatchObject([{ change: { kind: "received", id }, message: { subject: "at last" } }]);
  expect(await show(id)).toMatchObject({
    subject: "At last",
    text: { codes: [{ value: "804219" }] },
    metadata: {
      mailFrom: "sender@b.example",
      rcptTo: [{ email: `x@${server.id}.restante.test` }],
      faults: [{ rule: "slow", stage: "data", action: "throttle" }],
    },
    defects: ["missing_date"],
  });
  expect(await reparseNext(succeeding())).toBeUndefined();
});

test("retries an unreadable mail with growing pauses, then gives up", async () => {
  const id = await receiveUnread();
  for (const [at, pauseMs] of reparsePausesMs.entries()) {
    api.clock.advance(pauseMs - 1);
    expect(await reparseNext(failing())).toBeUndefined();
    api.clock.advance(1);
    const outcome = at === reparsePausesMs.length - 1 ? "given_up" : "postponed";
    expect(await reparseNext(failing())).toMatchObject({ id, attempts: at + 1, outcome });
  }
  expect((await api.context.store.reparses.queue.countPending()).count).toBe(0);
  expect(await show(id)).toMatchObject({ defects: ["unreadable"] });
});

test("retries a mail when the lease of its node has expired", async () => {
  const id = await receiveUnread();
  api.clock.advance(reparsePausesMs[0]);
  const died = contextWith(() => Promise.withResolvers<never>().promise);
  void reparseNext(died);
  await new Promise((resolve) => setImmediate(resolve));
  while ((await reparseNext(succeeding())) === undefined) api.clock.advance(60_000);
  expect(await show(id)).toMatchObject({ subject: "At last" });
});

test("drops a mail that was deleted meanwhile", async () => {
  const id = await receiveUnread();
  await api.ask(`DELETE /api/messages/${id}`);
  api.clock.advance(reparsePausesMs[0]);
  expect(await reparseNext(succeeding())).toMatchObject({ outcome: "gone" });
  expect((await api.context.store.reparses.queue.countPending()).count).toBe(0);
});
