import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FaultDecision, FaultHit, FaultOccurrence, FaultOutcome } from "../../core/fault.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { EmailDraft, SubmittedEmail } from "../../providers/email.ts";
import type { ProviderSession } from "../../providers/provider.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import type { Faults } from "../services/faults.ts";
import { arriveDue } from "../inbound/arrive-due.test-aid.ts";
import { openProviderSession } from "./provider-session.ts";
import { RequestFaults } from "./request-faults.ts";

let api: HttpTestServer;
let server: TestServer;
let other: TestServer;
beforeEach(async () => {
  api = await openHttpTestServer({ settings: { catchAll: "off" } });
  server = await api.addServer();
  other = await api.addServer();
});
afterEach(async () => api[Symbol.asyncDispose]());

const addressIn = (own: TestServer, name = "x"): string => `${name}@${own.id}.restante.test`;
const draft: EmailDraft = {
  from: { name: "", address: "ada@app.example" },
  replyTo: [],
  to: [],
  cc: [],
  bcc: [],
  headers: [],
  attachments: [],
  subject: "Faults",
  text: "Hi",
  html: null,
};

function email(servers: readonly TestServer[], changes: Partial<SubmittedEmail> = {}): SubmittedEmail {
  return {
    content: draft,
    mailFrom: "bounce@app.example",
    recipients: servers.map((one) => addressIn(one)),
    facts: { tags: [], metadata: {}, template: null },
    sendAt: null,
    identify: (uuid) => ({ providerId: `acme-${uuid}`, messageId: `<${uuid}@acme.example>` }),
    ...changes,
  };
}

function hit(own: ServerId | null): FaultHit {
  return { server: own, rule: "r", stage: "request", action: "deliver-later" };
}

function decision(then: FaultOutcome | null, late: FaultDecision["late"] = []): FaultDecision {
  return { then, late, hits: [hit(null)] };
}

/** Returns faults that record their occurrences and decide as told. */
function deciding(decide: (occurrence: FaultOccurrence, count: number) => FaultDecision | null): {
  readonly faults: Faults;
  readonly seen: FaultOccurrence[];
} {
  const seen: FaultOccurrence[] = [];
  return {
    seen,
    faults: { decide: (occurrence) => Promise.resolve(decide(occurrence, seen.push(occurrence))) },
  };
}

function session(faults: RequestFaults, own: ServerId | null = null): ProviderSession {
  const principal = { keyId: "k", server: own };
  return openProviderSession(api.context, { principal, provider: "acme", isKnown: true, faults });
}

const countIn = async (own: TestServer): Promise<number | undefined> =>
  (await api.context.store.getServer(own.id))?.messages;
const outcomes = async (): Promise<readonly string[]> => (await arriveDue(api.context)).map(({ outcome }) => outcome);

describe("faults of a request", () => {
  test("match provider, sender, recipients with their servers, client and key", async () => {
    const { faults, seen } = deciding(() => null);
    await session(new RequestFaults(faults, "192.0.2.7"), server.id).submitEmails([email([server])]);
    expect(seen).toEqual([
      {
        stage: "request",
        clientAddress: "192.0.2.7",
        server: server.id,
        provider: "acme",
        userName: null,
        sender: "bounce@app.example",
        recipients: [{ address: addressIn(server), server: server.id }],
      },
    ]);
    expect(await countIn(server)).toBe(1);
  });

  test("reject all mails of the request when one of them has an error, and ask for no further ones", async () => {
    const { faults, seen } = deciding((_, count) => (count === 2 ? decision({ error: "rateLimited" }) : null));
    const mails = [email([server]), email([server]), email([server])];
    await expect(session(new RequestFaults(faults, "::1")).submitEmails(mails)).rejects.toMatchObject({
      name: "InjectedFault",
      outcome: { error: "rateLimited" },
    });
    expect(seen).toHaveLength(2);
    expect(await countIn(server)).toBe(0);
  });

  test("are decided once for a batch with mail for several servers", async () => {
    const { faults, seen } = deciding(() => null);
    await session(new RequestFaults(faults, "::1")).submitEmails([email([server]), email([other])]);
    expect(seen).toMatchObject([{ recipients: [{ server: server.id }, { server: other.id }] }]);
  });

  test("collect the longest delay, the lowest rate and a lost reply of accepted messages", async () => {
    const outcome = [{ delayMs: 5, throttle: 100 }, { delayMs: 9, loseReply: true as const }, { throttle: 50 }];
    const { faults } = deciding((_, count) => decision(outcome[count - 1] ?? null));
    const own = new RequestFaults(faults, "::1");
    expect(own.response).toEqual({ delayMs: 0, losesReply: false, bytesPerSecond: null });
    await session(own).submitEmails([email([server]), email([server]), email([server])]);
    expect(own.response).toEqual({ delayMs: 9, losesReply: true, bytesPerSecond: 50 });
    expect(await countIn(server)).toBe(3);
  });

  test("reject a change of an object before it is made, and count a request that sends nothing once", async () => {
    const { faults, seen } = deciding(() => decision({ error: "unavailable" }));
    const failing = new RequestFaults(faults, "::1");
    failing.open({ provider: "acme", server: server.id });
    const own = session(failing, server.id);
    await expect(own.objects.put("template", "t", { value: 1 })).rejects.toMatchObject({ name: "InjectedFault" });
    expect(await own.objects.get("template", "t")).toBeUndefined();
    expect(seen).toMatchObject([{ stage: "request", server: server.id, sender: null, recipients: [] }]);
    const passing = new RequestFaults(deciding(() => null).faults, "::1");
    passing.open({ provider: "acme", server: server.id });
    const other = session(passing, server.id);
    await other.objects.put("template", "t", { value: 1 });
    await other.objects.remove("template", "t");
    await passing.decideCall();
    expect(seen).toHaveLength(1);
  });

  test("are decided once for a request that changes objects and sends a message", async () => {
    const { faults, seen } = deciding(() => null);
    const verify = new RequestFaults(faults, "::1", true);
    verify.open({ provider: "acme", server: null });
    const own = session(verify);
    await own.objects.put("verification", "v", { value: 1 });
    await own.submitEmails([email([server])]);
    await own.objects.remove("verification", "v");
    await verify.decideCall();
    expect(seen).toMatchObject([{ recipients: [{ server: server.id }] }]);
  });

  test("are not decided for a request without a valid key", async () => {
    const { faults, seen } = deciding(() => null);
    await new RequestFaults(faults, "::1").decideCall();
    expect(seen).toEqual([]);
  });

  test("are in the metadata of the messages", async () => {
    const { faults } = deciding(() => decision({ delayMs: 1 }));
    const own = session(new RequestFaults(faults, "::1"));
    const [sent] = await own.submitEmails([email([server])]);
    const { message } = await own.getEmail(sent?.refusal === undefined ? (sent?.uuid ?? "") : "");
    expect(message.metadata.faults).toEqual([{ rule: "r", stage: "request", action: "deliver-later" }]);
  });
});

describe("late delivery of mail", () => {
  const lateIn = (...servers: readonly TestServer[]): RequestFaults => {
    const late = servers.map((one) => ({ server: one.id, deliverAfterMs: 60_000 }));
    return new RequestFaults(deciding(() => decision(null, late)).faults, "::1");
  };
  const submit = async (faults: RequestFaults, mail: SubmittedEmail): Promise<string> => {
    const [sent] = await session(faults).submitEmails([mail]);
    if (sent === undefined || sent.refusal !== undefined) throw new Error("refused");
    return sent.uuid;
  };

  test("is reported as delivered at once, cannot be cancelled, and arrives once in each server", async () => {
    const uuid = await submit(lateIn(server, other), email([server, other]));
    const own = session(lateIn());
    const providerId = `acme-${uuid}`;
    expect(await own.getEmail(uuid)).toMatchObject({ providerId, id: null, status: "delivered", sendAt: null });
    await expect(own.cancelEmail(uuid)).rejects.toMatchObject({ code: "conflict" });
    expect([await countIn(server), await countIn(other)]).toEqual([0, 0]);
    const acceptedAt = api.clock.now();
    api.clock.advance(60_000);
    expect(await outcomes()).toEqual(["arrived", "arrived"]);
    expect([await countIn(server), await countIn(other)]).toEqual([1, 1]);
    const arrived = await own.getEmail(uuid);
    expect(arrived).toMatchObject({ providerId, status: "delivered", createdAt: acceptedAt + 60_000, sendAt: null });
    expect(arrived.message.metadata).toMatchObject({ accepted: new Date(acceptedAt).toISOString(), faults: [{}] });
    expect(arrived.id).not.toBeNull();
  });

  test("holds only the copies of the servers with such a rule", async () => {
    const uuid = await submit(lateIn(other), email([server, other]));
    expect([await countIn(server), await countIn(other)]).toEqual([1, 0]);
    const list = await api.ask(`GET /api/messages?server=${server.id}&providerId=acme-${uuid}`);
    expect(list.json()).toHaveLength(1);
    api.clock.advance(60_000);
    expect(await outcomes()).toEqual(["arrived"]);
    expect([await countIn(server), await countIn(other)]).toEqual([1, 1]);
  });

  test("stores and holds nothing when another mail of the request cannot be stored", async () => {
    await api.context.store.updateServer(other.id, { quota: { messages: 0, bytes: null } });
    const mail = email([server, other]);
    await expect(session(lateIn(server)).submitEmails([mail])).rejects.toMatchObject({ code: "quota_exceeded" });
    expect((await api.context.store.scheduledMessages.queue.countPending()).count).toBe(0);
  });

  test("postpones a mail that its sender has scheduled, which can still be cancelled", async () => {
    const sendAt = api.clock.now() + 1000;
    const uuid = await submit(lateIn(server), email([server], { sendAt }));
    const own = session(lateIn());
    expect(await own.getEmail(uuid)).toMatchObject({ status: "scheduled", sendAt: sendAt + 60_000 });
    await own.cancelEmail(uuid);
    expect((await api.context.store.scheduledMessages.queue.countPending()).count).toBe(0);
  });

  test("finds an SMS that arrives late by its id before and after it arrives", async () => {
    const own = session(lateIn(server), server.id);
    const sms = { from: "+15550100", to: "+447700900123", text: "Your code is 482913", callback: null };
    const sent = await own.submitSms(sms);
    const id = sent.refusal === undefined ? sent.id : ("" as MessageId);
    const { callback: _callback, ...shown } = sms;
    expect(await own.getSms(id)).toMatchObject({ ...shown, id, createdAt: api.clock.now() });
    expect(await countIn(server)).toBe(0);
    api.clock.advance(60_000);
    expect(await outcomes()).toEqual(["arrived"]);
    expect(await own.getSms(id)).toMatchObject({ ...shown, id });
    const { messages } = await own.listSms({
      from: null,
      to: null,
      since: null,
      before: null,
      page: 0,
      itemsPerPage: 9,
    });
    expect(messages).toHaveLength(1);
  });
});
