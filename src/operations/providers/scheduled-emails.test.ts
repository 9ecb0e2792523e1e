import type { Context } from "../context.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MessageId } from "../../core/ids.ts";
import { Problem } from "../../core/errors.ts";
import type { EmailDraft, SubmittedEmail } from "../../providers/email.ts";
import type { ProviderSession } from "../../providers/provider.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { arriveDue } from "../inbound/arrive-due.test-aid.ts";
import { openProviderSession } from "./provider-session.ts";

let api: HttpTestServer;
let server: TestServer;
beforeEach(async () => {
  api = await openHttpTestServer({ settings: { catchAll: "off" } });
  server = await api.addServer();
});
afterEach(async () => api[Symbol.asyncDispose]());

const session = (provider = "acme"): ProviderSession =>
  openProviderSession(api.context, { principal: { keyId: "k", server: null }, provider, isKnown: true });

const draft: EmailDraft = {
  from: { name: "", address: "ada@app.example" },
  replyTo: [],
  to: [],
  cc: [],
  bcc: [],
  headers: [["X-One", "1"]],
  attachments: [],
  subject: "Later",
  text: "Your code is 804 219",
  html: null,
};
const inMs = (ms: number): number => api.clock.now() + ms;

function email(sendAt: number | null, changes: Partial<SubmittedEmail> = {}): SubmittedEmail {
  return {
    content: { ...draft, to: [{ name: "", address: addressIn(server) }] },
    mailFrom: "bounce@app.example",
    recipients: [addressIn(server)],
    facts: { tags: ["welcome"], metadata: { user: "7" }, template: null },
    sendAt,
    identify: (uuid) => ({ providerId: `acme-${uuid}`, messageId: `<${uuid}@acme.example>` }),
    ...changes,
  };
}

const addressIn = (own: TestServer, name = "x"): string => `${name}@${own.id}.restante.test`;

async function submit(mail: SubmittedEmail): Promise<{ readonly uuid: string; readonly providerId: string }> {
  const [result] = await session().submitEmails([mail]);
  if (result === undefined || result.refusal !== undefined) throw new Error("refused");
  return result;
}

const countIn = async (own = server): Promise<number | undefined> =>
  (await api.context.store.getServer(own.id))?.messages;
const outcomes = async (context: Partial<Context> = {}): Promise<readonly string[]> =>
  (await arriveDue({ ...api.context, ...context })).map(({ outcome }) => outcome);

describe("a scheduled mail", () => {
  test("is shown as it will arrive, and arrives at its instant under another id, found by both", async () => {
    const sendAt = inMs(60_000);
    const { uuid, providerId } = await submit(email(sendAt));
    expect(await countIn()).toBe(0);
    const shown = {
      providerId,
      sendAt,
      facts: { tags: ["welcome"], metadata: { user: "7" }, template: null },
      message: {
        subject: "Later",
        to: [{ email: addressIn(server) }],
        text: { body: "Your code is 804 219" },
        metadata: { mailFrom: "bounce@app.example" },
      },
    };
    expect(await session().getEmail(uuid)).toMatchObject({ ...shown, id: null, status: "scheduled" });
    api.clock.advance(59_999);
    expect(await outcomes()).toEqual([]);
    api.clock.advance(1);
    expect(await outcomes()).toEqual(["arrived"]);
    expect(await outcomes()).toEqual([]);
    const arrived = await session().getEmail(uuid);
    expect(arrived).toMatchObject({ ...shown, status: "delivered", createdAt: sendAt });
    expect(arrived.id).not.toBe(uuid);
    expect(await session().getEmail(arrived.id ?? "")).toMatchObject({ providerId });
    const list = await api.ask(`GET /api/messages?server=${server.id}&providerId=${providerId}`);
    expect(list.json()).toMatchObject([{ id: arrived.id, received: new Date(sendAt).toISOString() }]);
    expect((await api.ask(`GET /api/messages/${arrived.id ?? ""}`)).json()).toMatchObject({
      provider: { name: "acme", id: providerId, scheduledAt: new Date(sendAt).toISOString() },
    });
  });

  test("arrives at once when its instant has passed", async () => {
    const { uuid } = await submit(email(api.clock.now()));
    expect(await session().getEmail(uuid)).toMatchObject({ id: uuid, status: "delivered", sendAt: null });
  });

  test("arrives at its new instant, with that date, when it is rescheduled", async () => {
    const { uuid } = await submit(email(inMs(1000)));
    const sendAt = inMs(3_600_000);
    await session().rescheduleEmail(uuid, sendAt);
    api.clock.advance(1000);
    expect(await outcomes()).toEqual([]);
    api.clock.advance(3_599_000);
    expect(await outcomes()).toEqual(["arrived"]);
    const { message, sendAt: shown } = await session().getEmail(uuid);
    expect(shown).toBe(sendAt);
    const date = message.metadata.headers.find(({ field }) => field === "Date")?.value;
    expect(Date.parse(date ?? "")).toBe(Math.floor(sendAt / 1000) * 1000);
  });

  test("keeps every byte of a whole mail", async () => {
    const content = Buffer.from("Date: Thu, 01 Jan 1970 00:00:00 +0000\r\nSubject: raw\n\nbare");
    const { uuid } = await submit(
      email(inMs(1000), { content, identify: (id) => ({ providerId: id, messageId: null }) }),
    );
    await session().rescheduleEmail(uuid, inMs(2000));
    api.clock.advance(2000);
    await outcomes();
    const { id } = await session().getEmail(uuid);
    expect(Buffer.from((await api.context.store.getRaw(id as MessageId)) ?? [])).toEqual(content);
  });

  test("is withdrawn when it is cancelled, and cannot be cancelled after it has arrived", async () => {
    const [one, two] = [await submit(email(inMs(1000))), await submit(email(inMs(1000)))];
    await session().cancelEmail(one.uuid);
    await expect(session().cancelEmail(one.uuid)).rejects.toMatchObject({ code: "not_found" });
    await expect(session().getEmail(one.uuid)).rejects.toMatchObject({ code: "not_found" });
    await expect(session("other").cancelEmail(two.uuid)).rejects.toMatchObject({ code: "not_found" });
    api.clock.advance(1000);
    expect(await outcomes()).toEqual(["arrived"]);
    await expect(session().cancelEmail(two.uuid)).rejects.toMatchObject({ code: "conflict" });
    await expect(session().rescheduleEmail(two.uuid, inMs(1))).rejects.toMatchObject({ code: "conflict" });
    expect(await countIn()).toBe(1);
  });

  test("is not found by a key that is restricted to another server", async () => {
    const { uuid } = await submit(email(inMs(1000)));
    const other = await api.addServer();
    const restricted = openProviderSession(api.context, {
      principal: { keyId: "r", server: other.id },
      provider: "acme",
      isKnown: true,
    });
    await expect(restricted.getEmail(uuid)).rejects.toMatchObject({ code: "not_found" });
    await expect(restricted.cancelEmail(uuid)).rejects.toMatchObject({ code: "not_found" });
  });

  test("reaches the servers that still exist, and is dropped without any", async () => {
    const other = await api.addServer();
    await submit(email(inMs(1000), { recipients: [addressIn(server), addressIn(other)] }));
    await submit(email(inMs(1000)));
    await api.context.store.deleteServer(server.id);
    api.clock.advance(1000);
    expect((await outcomes()).toSorted()).toEqual(["arrived", "dropped"]);
    expect(await countIn(other)).toBe(1);
    expect((await api.context.store.scheduledMessages.queue.countPending()).count).toBe(0);
  });

  test("waits while the quota of its server is reached", async () => {
    const { uuid } = await submit(email(inMs(1000)));
    await api.context.store.updateServer(server.id, { quota: { messages: 0, bytes: null } });
    api.clock.advance(1000);
    expect(await arriveDue(api.context)).toMatchObject([{ outcome: "postponed", error: { code: "quota_exceeded" } }]);
    expect(await session().getEmail(uuid)).toMatchObject({ status: "scheduled" });
    await api.context.store.updateServer(server.id, { quota: { messages: null, bytes: null } });
    expect(await outcomes()).toEqual([]);
    api.clock.advance(10_000);
    expect(await outcomes()).toEqual(["arrived"]);
  });

  test.each(["beginArrival", "record"] as const)("arrives exactly once when a process crashes in %s", async (point) => {
    const { uuid } = await submit(email(inMs(1000)));
    api.clock.advance(1000);
    const { store } = api.context;
    const crashed = (): Promise<never> => Promise.withResolvers<never>().promise;
    const { queue } = store.scheduledMessages;
    const scheduledMessages = { ...store.scheduledMessages, queue: { ...queue, [point]: crashed }, [point]: crashed };
    void arriveDue({ ...api.context, store: { ...store, scheduledMessages } });
    await expect.poll(async () => store.scheduledMessages.queue.nextDueAt()).toBeGreaterThan(api.clock.now());
    await expect.poll(async () => countIn()).toBe(point === "beginArrival" ? 0 : 1);
    await store.scheduledMessages.queue.releaseLeases(api.clock.now());
    // What has begun to arrive cannot be cancelled.
    if (point === "record") await expect(session().cancelEmail(uuid)).rejects.toMatchObject({ code: "conflict" });
    expect(await outcomes()).toEqual(["arrived"]);
    expect(await countIn()).toBe(1);
  });

  test("does not arrive again when it was deleted after a crash", async () => {
    const { uuid } = await submit(email(inMs(1000)));
    api.clock.advance(1000);
    const { store } = api.context;
    const scheduledMessages = {
      ...store.scheduledMessages,
      queue: { ...store.scheduledMessages.queue, record: () => Promise.reject(new Problem("unavailable")) },
    };
    const crashing = { ...api.context, store: { ...store, scheduledMessages } };
    await expect(arriveDue(crashing)).rejects.toMatchObject({ code: "unavailable" });
    const { id } = await session().getEmail(uuid);
    await store.deleteMessage(id as MessageId);
    await store.scheduledMessages.queue.releaseLeases(api.clock.now());
    expect(await outcomes()).toEqual(["arrived"]);
    expect(await countIn()).toBe(0);
  });

  test("arrives once when several nodes look for due mails at the same time", async () => {
    for (let n = 0; n < 10; n += 1) await submit(email(inMs(1000)));
    api.clock.advance(1000);
    await Promise.all([outcomes(), outcomes(), outcomes()]);
    expect(await countIn()).toBe(10);
  });

  test("is withdrawn when a mail of the same request cannot be stored", async () => {
    const large = Buffer.alloc(api.context.limits.messageBytesMax + 1, "x");
    const submission = session().submitEmails([email(inMs(1000)), email(null, { content: large })]);
    await expect(submission).rejects.toMatchObject({ code: "message_too_large" });
    expect((await api.context.store.scheduledMessages.queue.countPending()).count).toBe(0);
  });

  test("is found by its id after the message was exported and parsed again", async () => {
    const { uuid } = await submit(email(inMs(1000)));
    api.clock.advance(1000);
    await outcomes();
    const { id } = await session().getEmail(uuid);
    const detail = await api.context.store.getDetail(id as MessageId);
    expect(Buffer.from(detail ?? []).toString()).toContain(`"submittedAs":"${uuid}"`);
  });
});
