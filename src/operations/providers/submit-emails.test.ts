import { criteriaExpression } from "../../core/search/build-expression.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MessageId, ServerId } from "../../core/ids.ts";
import { defaultLimits } from "../../core/limits.ts";
import type { EmailDraft, SubmittedEmail } from "../../providers/email.ts";
import type { ProviderSession } from "../../providers/provider.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { reparsePausesMs, reparseQueue } from "../inbound/store-messages.ts";
import { RequestTranscript } from "../../core/transcript.ts";
import { runOnce } from "../../queue/run-once.test-aid.ts";
import { arriveDue } from "../inbound/arrive-due.test-aid.ts";
import { getTranscript } from "../messages/get-transcript.ts";
import { getMessage } from "../services/reading/get-message.ts";
import { unreadable } from "../services/reading/email-reader.ts";
import { readEmailWhole } from "../services/reading/read-email.ts";
import { openProviderSession } from "./provider-session.ts";

let api: HttpTestServer;
let one: TestServer;
let two: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer({ settings: { catchAll: "off" } });
  one = await api.addServer();
  two = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const account = { keyId: "account", server: null } as const;
const sessionOf = (server: ServerId | null = null): ProviderSession =>
  openProviderSession(api.context, { principal: { keyId: "k", server }, provider: "acme", isKnown: true });
const show = async (id: string) => getMessage(api.context, account, id);

const draft: EmailDraft = {
  from: { name: "Ada", address: "ada@app.example" },
  replyTo: [{ name: "", address: "reply@app.example" }],
  to: [],
  cc: [],
  bcc: [],
  subject: "Größe",
  text: "Your code is 804 219",
  html: '<img src="cid:logo">',
  headers: [
    ["X-One", "1"],
    ["X-One", "2"],
    ["Subject", "not this"],
  ],
  attachments: [
    {
      fileName: "logo.png",
      contentType: "image/png",
      content: Buffer.from([1, 2, 3]),
      contentId: "logo",
      isInline: true,
    },
  ],
};

function email(to: readonly string[], changes: Partial<SubmittedEmail> = {}): SubmittedEmail {
  return {
    content: { ...draft, to: to.map((address) => ({ name: "", address })) },
    mailFrom: "bounce@app.example",
    recipients: to,
    facts: { tags: ["welcome"], metadata: { user: "7" }, template: { id: "t-1", data: { name: "Ada" } } },
    sendAt: null,
    identify: (uuid) => ({ providerId: `acme-${uuid}`, messageId: `<${uuid}@acme.example>` }),
    ...changes,
  };
}

const addressIn = (server: TestServer, name = "x"): string => `${name}@${server.id}.restante.test`;

/** Returns a session with the transcript of its request. */
function recordedSession(): ProviderSession {
  const peer = { protocol: "HTTP/1.1", clientAddress: "192.0.2.1", tls: null };
  const request = { peer, method: "POST", target: "/send", headers: {}, key: null, success: "202 Accepted" };
  const transcript = new RequestTranscript({ ...request, body: { subject: "Größe" } }, api.clock);
  return openProviderSession(api.context, { principal: account, provider: "acme", isKnown: true, transcript });
}

async function submit(mail: SubmittedEmail): Promise<string> {
  const [result] = await recordedSession().submitEmails([mail]);
  if (result === undefined || result.refusal !== undefined) throw new Error("refused");
  return result.uuid;
}

async function bodyLinesOf(id: string): Promise<readonly string[]> {
  return (await getTranscript(api.context, account, id)).entries.slice(2).map(({ from, text }) => `${from} ${text}`);
}

describe("transcripts", () => {
  test("are stored with mails, without the body when it concerns several servers", async () => {
    const own = email([addressIn(one)]);
    const mixed = email([addressIn(one), addressIn(two)]);
    expect(await bodyLinesOf(await submit(own))).toEqual([
      'client {"subject":"Größe"}',
      "server HTTP/1.1 202 Accepted",
    ]);
    expect(await bodyLinesOf(await submit(mixed))).toEqual([
      "service [body left out: the request concerns several servers]",
      "server HTTP/1.1 202 Accepted",
    ]);
  });

  test("stay with mails that arrive later", async () => {
    const sendAt = api.clock.now() + 1000;
    const uuid = await submit(email([addressIn(one)], { sendAt }));
    api.clock.advance(1000);
    await arriveDue(api.context);
    const { id } = await sessionOf().getEmail(uuid);
    expect(await bodyLinesOf(id ?? "")).toContain('client {"subject":"Größe"}');
  });
});

describe("submitEmails", () => {
  test("stores a draft with the facts of the provider, and bcc only in the envelope", async () => {
    const hidden = addressIn(one, "hidden");
    const [result] = await sessionOf().submitEmails([
      email([addressIn(one)], { recipients: [addressIn(one), hidden] }),
    ]);
    if (result?.refusal !== undefined || result === undefined) throw new Error("refused");
    const { uuid, providerId } = result;
    expect(providerId).toBe(`acme-${uuid}`);
    const message = await show(uuid);
    expect(message).toMatchObject({
      id: uuid,
      subject: "Größe",
      from: [{ name: "Ada", email: "ada@app.example" }],
      to: [{ email: addressIn(one) }],
      bcc: [{ email: hidden }],
      text: { body: "Your code is 804 219", codes: [{ value: "804219" }] },
      attachments: [{ fileName: "logo.png", contentId: "logo", length: 3 }],
      metadata: { mailFrom: "bounce@app.example", rcptTo: [{ email: addressIn(one) }, { email: hidden }], ehlo: null },
      provider: {
        name: "acme",
        id: providerId,
        tags: ["welcome"],
        metadata: { user: "7" },
        template: { id: "t-1", data: { name: "Ada" } },
        scheduledAt: null,
      },
    });
    const fields = message.metadata.headers.map(({ field, value }) => `${field}: ${value}`);
    expect(fields).toEqual(
      expect.arrayContaining([
        "X-One: 1",
        "X-One: 2",
        "Reply-To: reply@app.example",
        `Message-ID: <${uuid}@acme.example>`,
      ]),
    );
    expect(fields.filter((field) => field.startsWith("Subject"))).toEqual(["Subject: Größe"]);
    expect(fields.join("\n")).not.toContain("hidden");
  });

  test.each([
    ["text", { text: "Your code is 804 219", html: null }],
    ["text with line ends", { text: "Hello\n\n", html: null }],
    ["text of non-ASCII characters", { text: "ü".repeat(200), html: null }],
    ["html", { text: null, html: "<p>Hello</p>" }],
    ["html and text", { text: "Hello", html: "<p>Hello</p>\n" }],
  ])("keeps a body of %s exactly", async (_name, bodies) => {
    const to = addressIn(one);
    const content = { ...draft, ...bodies, attachments: [], to: [{ name: "", address: to }] };
    const [result] = await sessionOf().submitEmails([email([to], { content })]);
    const { text, html } = await show((result as { uuid: string }).uuid);
    expect({ text: text.body, html: html.body }).toEqual(bodies);
  });

  test("stores a whole mail byte for byte, except for the Message-ID field that its provider sets", async () => {
    const raw = Buffer.from("subject:raw \nmessage-id: <own@app.example>\nX: 1\n\nbare line ends\n");
    const rawOf = async (changes: Partial<SubmittedEmail>): Promise<string> => {
      const [result] = await sessionOf().submitEmails([email([addressIn(one)], { content: raw, ...changes })]);
      const id = (result as { uuid: string }).uuid as MessageId;
      return Buffer.from((await api.context.store.getRaw(id)) ?? []).toString("utf8");
    };
    expect(await rawOf({ identify: (uuid) => ({ providerId: uuid, messageId: null }) })).toBe(raw.toString("utf8"));
    const named = await rawOf({ identify: (uuid) => ({ providerId: uuid, messageId: "<set@acme.example>" }) });
    expect(named).toBe(raw.toString("utf8").replace("<own@app.example>", "<set@acme.example>"));
  });

  test("stores a copy with its own recipients in each server, and refuses mail without a server", async () => {
    const results = await sessionOf().submitEmails([
      email([addressIn(two, "b"), "nobody@elsewhere.example", addressIn(one, "a")]),
      email(["nobody@elsewhere.example"]),
    ]);
    expect(results).toEqual([
      expect.objectContaining({ uuid: expect.anything() as unknown }),
      { refusal: "no_server" },
    ]);
    const { uuid, providerId } = results[0] as { uuid: string; providerId: string };
    expect(await show(uuid)).toMatchObject({ server: two.id, metadata: { rcptTo: [{ email: addressIn(two, "b") }] } });
    const page = {
      page: 0,
      itemsPerPage: 10,
      receivedAfter: null,
      direction: "Received",
      afterSequence: null,
    } as const;
    const copies = await api.context.store.searchMessages(
      one.id,
      criteriaExpression({ providerId, match: "ALL" }),
      page,
    );
    const [copy] = JSON.parse(`[${Buffer.from(copies.json).toString()}]`) as readonly { id: string }[];
    expect(await show(copy?.id ?? "")).toMatchObject({ metadata: { rcptTo: [{ email: addressIn(one, "a") }] } });
  });

  test("stores all mail of a restricted key in its server", async () => {
    const results = await sessionOf(two.id).submitEmails([email([addressIn(one)]), email(["any@elsewhere.example"])]);
    const servers = await Promise.all(results.map(async (one) => (await show((one as { uuid: string }).uuid)).server));
    expect(servers).toEqual([two.id, two.id]);
  });

  test("stores nothing when one mail is too large", async () => {
    const own = await api.addServer();
    const large = email([addressIn(own)], { content: Buffer.alloc(api.context.limits.messageBytesMax + 1, "x") });
    const submission = sessionOf().submitEmails([email([addressIn(own)]), large]);
    await expect(submission).rejects.toMatchObject({ code: "message_too_large" });
    expect((await api.context.store.getServer(own.id))?.messages).toBe(0);
  });

  test("stores nothing when the mails of one request are too large together", async () => {
    const own = await api.addServer();
    const content = Buffer.alloc(40 * 1024 * 1024, "x");
    const mails = Array.from({ length: 6 }, () => email([addressIn(own)], { content }));
    await expect(sessionOf().submitEmails(mails)).rejects.toMatchObject({ code: "message_too_large" });
    expect((await api.context.store.getServer(own.id))?.messages).toBe(0);
  });

  test("stores nothing above the daily limit or the quota of a server", async () => {
    await using small = await openHttpTestServer({ limits: { emailCountPerDayMax: 3 } });
    const own = await small.addServer();
    const caller = { principal: { keyId: "k", server: own.id }, provider: "acme", isKnown: true };
    const session = openProviderSession(small.context, caller);
    const mails = (count: number): readonly SubmittedEmail[] =>
      Array.from({ length: count }, () => email(["a@b.example"]));
    await expect(session.submitEmails(mails(4))).rejects.toMatchObject({ code: "limit_reached" });
    await small.context.store.updateServer(own.id, { quota: { messages: 1, bytes: null } });
    await expect(session.submitEmails(mails(2))).rejects.toMatchObject({ code: "quota_exceeded" });
    expect((await small.context.store.getServer(own.id))?.messages).toBe(0);
    expect(await session.submitEmails(mails(1))).toHaveLength(1);
  });

  test("keeps the facts of a mail that is parsed again", async () => {
    const own = await api.addServer();
    const context = { ...api.context, readEmail: () => unreadable };
    const caller = { principal: { keyId: "k", server: own.id }, provider: "acme", isKnown: true };
    const [result] = await openProviderSession(context, caller).submitEmails([email([addressIn(own)])]);
    const { uuid, providerId } = result as { uuid: string; providerId: string };
    api.clock.advance(reparsePausesMs[0]);
    const reparse = async (bytes: Uint8Array) => readEmailWhole(bytes, defaultLimits);
    const results: string[] = [];
    await runOnce(
      reparseQueue({ ...api.context, reparse }, ({ id, outcome }) => results.push(`${id} ${outcome}`)),
      api.clock,
    );
    expect(results).toEqual([`${uuid} read`]);
    expect(await show(uuid)).toMatchObject({ subject: "Größe", provider: { id: providerId, tags: ["welcome"] } });
    const page = {
      page: 0,
      itemsPerPage: 10,
      receivedAfter: null,
      direction: "Received",
      afterSequence: null,
    } as const;
    const found = await api.context.store.searchMessages(
      own.id,
      criteriaExpression({ provider: "acme", tag: "welcome", match: "ALL" }),
      page,
    );
    expect(found.count).toBe(1);
  });

  test("identifies each mail of a batch with its own UUID", async () => {
    const results = await sessionOf().submitEmails(
      Array.from({ length: 50 }, (_, n) => email([addressIn(one, `n${n}`)])),
    );
    expect(new Set(results.map((result) => (result as { uuid: string }).uuid)).size).toBe(50);
  });
});

describe("getEmail and listEmails", () => {
  test("return mail of their provider only, and of the server of a restricted key", async () => {
    const own = await api.addServer();
    const [result] = await sessionOf().submitEmails([email([addressIn(own)])]);
    const { uuid, providerId } = result as { uuid: string; providerId: string };
    expect(await sessionOf().getEmail(uuid)).toMatchObject({
      providerId,
      id: uuid,
      status: "delivered",
      sendAt: null,
      facts: { tags: ["welcome"], metadata: { user: "7" } },
      message: { subject: "Größe", text: { body: "Your code is 804 219" } },
    });
    const other = { principal: account, provider: "other", isKnown: true };
    await expect(openProviderSession(api.context, other).getEmail(uuid)).rejects.toMatchObject({ code: "not_found" });
    await expect(sessionOf(two.id).getEmail(uuid)).rejects.toMatchObject({ code: "not_found" });
    const smtp = await api.deliver(own, {});
    await expect(sessionOf().getEmail(smtp)).rejects.toMatchObject({ code: "not_found" });
  });

  test("show the bodies of a page up to its budget", async () => {
    const own = await api.addServer();
    const session = openProviderSession(
      { ...api.context, limits: { ...api.context.limits, fullPageBytesMax: 60 } },
      { principal: { keyId: "k", server: own.id }, provider: "acme", isKnown: true },
    );
    for (let n = 0; n < 3; n += 1) await session.submitEmails([email([addressIn(own)])]);
    const filter = { tag: null, to: null, from: null, since: null, before: null, page: 0, itemsPerPage: 10 };
    const { emails } = await session.listEmails(filter);
    expect(emails.map(({ message }) => message.text.body)).toEqual([draft.text, null, null]);
  });

  test("filters by tag, addresses and time, in pages, newest first", async () => {
    const own = await api.addServer();
    const session = sessionOf(own.id);
    const ids: string[] = [];
    for (const n of [1, 2, 3, 4, 5]) {
      api.clock.advance(1000);
      const facts = { tags: [n % 2 === 0 ? "even" : "odd"], metadata: {}, template: null };
      const [result] = await session.submitEmails([email([`N${n}@x.example`], { facts })]);
      ids.unshift((result as { uuid: string }).uuid);
    }
    await api.deliver(own, {});
    const all = { tag: null, to: null, from: null, since: null, before: null, page: 0, itemsPerPage: 10 };
    const list = async (filter: Partial<typeof all> | object): Promise<readonly unknown[]> => {
      const { emails, hasMore } = await session.listEmails({ ...all, ...filter });
      return [emails.map(({ id }) => ids.indexOf(id ?? "")), hasMore];
    };
    expect(await list({})).toEqual([[0, 1, 2, 3, 4], false]);
    expect(await list({ itemsPerPage: 2 })).toEqual([[0, 1], true]);
    expect(await list({ itemsPerPage: 2, page: 2 })).toEqual([[4], false]);
    expect(await list({ tag: "even" })).toEqual([[1, 3], false]);
    expect(await list({ to: "n5@X.example" })).toEqual([[0], false]);
    expect(await list({ from: "bounce@app.example", tag: "odd" })).toEqual([[0, 2, 4], false]);
    const since = (await session.getEmail(ids[1] ?? "")).createdAt;
    expect(await list({ since })).toEqual([[0, 1], false]);
    expect(await list({ before: since })).toEqual([[2, 3, 4], false]);
  });
});
