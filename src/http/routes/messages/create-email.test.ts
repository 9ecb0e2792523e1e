import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message, Summary } from "../../../core/message.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import { until } from "../../../testing/until.test-aid.ts";
import type { WireError } from "../../wire/error-schema.ts";

let api: HttpTestServer;
let server: TestServer;
let other: TestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  other = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const create = (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  api.ask(`POST /api/messages?server=${server.id}`, { body, headers });
const list = async (id: string, dir: string): Promise<readonly Summary[]> =>
  (await api.ask(`GET /api/messages?server=${id}&dir=${dir}&itemsPerPage=1000`)).json();
const countAll = async (): Promise<number> =>
  (await list(server.id, "Sent")).length + (await list(server.id, "Received")).length;

describe("POST /api/messages", () => {
  test("creates a received sample from a new sender for an empty body", async () => {
    const samples = [await create({}), await create(undefined), await create({ send: false, subject: null })];
    const [one, two, three] = samples.map((reply) => reply.json<Message>());
    expect(one).toMatchObject({
      type: "Email",
      server: server.id,
      subject: "Example message",
      to: [{ name: "", email: `sample@${server.id}.restante.test`, phone: null }],
      metadata: { ehlo: null, mailFrom: null, rcptTo: [] },
    });
    expect(one?.text.body).toContain("This is a sample email");
    expect(one?.html.body).toContain("This is a sample email");
    expect(new Set([one, two, three].map((sample) => sample?.from[0]?.email)).size).toBe(3);
    expect(one).not.toHaveProperty("delivery");
    const raw = (await api.ask(`GET /api/files/email/${one?.id ?? ""}`)).body;
    expect(raw).toContain("Example message");
    const found = await api.ask(`POST /api/messages/search?server=${server.id}`, {
      body: { sentFrom: one?.from[0]?.email },
    });
    expect(found.json<Summary[]>().map(({ id }) => id)).toEqual([one?.id]);
  });

  test("stores a received mail without sending it when send is absent, whatever the recipient", async () => {
    const reply = await create({ to: "anyone@anywhere.example", subject: "Kept", text: "Your code is 482913" });
    const message = reply.json<Message>();
    expect(message).toMatchObject({ subject: "Kept", to: [{ email: "anyone@anywhere.example" }] });
    expect(message.text.codes).toEqual([{ value: "482913" }]);
    expect(message.from[0]?.email).toMatch(new RegExp(`^[0-9a-f]+@${server.id}\\.restante\\.test$`));
    expect((await list(server.id, "Received")).map(({ id }) => id)).toContain(message.id);
    expect(await api.context.store.outbox.queue.nextDueAt()).toBeNull();
  });

  test("delivers to an own server at once, with the same bytes", async () => {
    const to = `inbox@${other.id}.restante.test`;
    const from = `app@${server.id}.restante.test`;
    const sent = (await create({ to, from, subject: "Inside", html: "<p>Hi</p>", send: true })).json<Message>();
    expect(sent).toMatchObject({ delivery: { status: "Sent", attempts: 1, lastError: null }, from: [{ email: from }] });
    const [received] = await list(other.id, "Received");
    expect(received).toMatchObject({ subject: "Inside", to: [{ email: to }] });
    const detail = (await api.ask(`GET /api/messages/${received?.id ?? ""}`)).json<Message>();
    expect(detail.metadata).toMatchObject({ ehlo: null, mailFrom: from, rcptTo: [{ email: to }] });
    const raws = await Promise.all([sent.id, received?.id ?? ""].map((id) => api.ask(`GET /api/files/email/${id}`)));
    expect(raws[0]?.rawPayload).toEqual(raws[1]?.rawPayload);
    expect((await list(server.id, "Sent")).map(({ id }) => id)).toContain(sent.id);
    expect((await list(server.id, "Received")).map(({ id }) => id)).not.toContain(sent.id);
  });

  test("queues mail to a verified address in the outbox, with cc and attachment", async () => {
    const content = Buffer.from([0, 1, 2, 255]).toString("base64");
    const reply = await create({
      to: "friend@outside.example",
      cc: "any@verified.example",
      subject: "Out",
      text: "Line one\nLine two",
      send: true,
      attachments: [{ fileName: "cat.png", contentType: "image/png", content }],
    });
    const message = reply.json<Message>();
    expect(message).toMatchObject({
      delivery: { status: "Queued", attempts: 0, lastError: null, updated: "2026-01-01T00:00:00.000Z" },
      cc: [{ email: "any@verified.example" }],
      attachments: [{ fileName: "cat.png", contentType: "image/png", length: 4 }],
    });
    expect(message.text.body).toContain("Line one");
    const { pathname } = new URL(message.attachments[0]?.url ?? "");
    expect((await api.ask(`GET ${pathname}`)).rawPayload).toEqual(Buffer.from([0, 1, 2, 255]));
    const claim = {
      now: api.clock.now(),
      leaseEndsAt: api.clock.now() + 1,
      lease: "test",
      keys: [{ key: "", limit: 10 }],
    };
    const entries = await api.context.store.outbox.queue.claim(claim);
    expect(entries.map(({ rcptTo }) => rcptTo)).toEqual([["friend@outside.example"], ["any@verified.example"]]);
    expect((await api.ask(`DELETE /api/messages/${message.id}`)).statusCode).toBe(204);
    expect(await api.context.store.outbox.queue.nextDueAt()).toBeNull();
  });

  test("stores HTML with scripts unchanged and executes none", async () => {
    const html = `<script>alert(1)</script><img src=x onerror="alert(2)"><p>é — 日本</p>`;
    const reply = await create({ to: "a@b.example", html });
    expect(reply.json<Message>().html.body).toContain(html);
    expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  test("stores file names with paths, line ends and NUL without effect", async () => {
    const names = ["../../etc/passwd", "C:\\x\\y.txt", 'a"b\r\nX-Evil: 1.txt', "nul\u0000byte", "日本 – é.pdf"];
    const attachments = names.map((fileName) => ({ fileName, contentType: "text/plain", content: "aGk=" }));
    const message = (await create({ to: "a@b.example", subject: "Names", text: "x", attachments })).json<Message>();
    const given = names.map((name) => name.replaceAll(/[\r\n\0]+/g, " "));
    expect(message.attachments.map((one) => one.fileName)).toEqual(given);
    expect(message.metadata.headers.some(({ field }) => field.toLowerCase() === "x-evil")).toBe(false);
  });

  test("lets no field add a header field", async () => {
    const subject = "Hi\r\nBcc: victim@evil.example\r\n\r\nbody";
    const message = (await create({ to: "a@b.example", subject, text: "x" })).json<Message>();
    expect(message.bcc).toEqual([]);
    expect(message.metadata.headers.map(({ field }) => field.toLowerCase())).not.toContain("bcc");
    expect(message.subject).toBe("Hi Bcc: victim@evil.example body");
  });

  test.each([
    ["no recipient", { send: true, subject: "x" }, "to", "required"],
    ["an unverified recipient", { send: true, to: "stranger@outside.example" }, "to", "not_verified"],
    ["an unverified cc", { send: true, to: "friend@outside.example", cc: "x@y.example" }, "cc", "not_verified"],
    ["a subdomain of a verified domain", { send: true, to: "x@sub.verified.example" }, "to", "not_verified"],
    ["a server that is none", { send: true, to: "x@aaaaaaaa.restante.test" }, "to", "not_verified"],
    ["two addresses", { send: true, to: "friend@outside.example, x@y.example" }, "to", "invalid_address"],
    ["a display name", { to: "A <friend@outside.example>" }, "to", "invalid_address"],
    ["a line end", { send: true, to: "friend@outside.example\r\nRCPT TO:<x@y.example>" }, "to", "invalid_address"],
    ["a foreign sender", { to: "a@b.example", from: "ceo@bank.example" }, "from", "foreign_domain"],
    ["a sender below the server", { to: "a@b.example", from: "x@sub.SERVER.restante.test" }, "from", "foreign_domain"],
    ["a sender of another server", { from: "x@OTHER.restante.test" }, "from", "foreign_domain"],
    ["text that is no text", { text: 5 }, "text", "invalid_type"],
    ["send that is no boolean", { send: "yes" }, "send", "invalid_type"],
    ["attachments that are no list", { attachments: {} }, "attachments", "invalid_type"],
    ["broken base64", { text: "x", attachments: [{ content: "aGk" }] }, "attachments[0].content", "invalid_base64"],
    [
      "invalid base64",
      { text: "x", attachments: [{}, { content: "a*==" }] },
      "attachments[1].content",
      "invalid_base64",
    ],
    ["10,000 attachments", { attachments: Array.from({ length: 10_000 }, () => ({})) }, "attachments", "too_many"],
  ])("responds 400 without storing anything: %s", async (_name, body, ...problem) => {
    const [field, code] = problem;
    const before = await countAll();
    const text = JSON.stringify(body).replace("SERVER", server.id).replace("OTHER", other.id);
    const reply = await create(JSON.parse(text));
    expect(reply.statusCode).toBe(400);
    expect(reply.json<WireError>()).toMatchObject({ type: "ValidationError", errors: [{ field, detail: [{ code }] }] });
    expect(await countAll()).toBe(before);
  });

  test("responds 400 without a server, and without a relay for a verified address, naming the setting", async () => {
    const reply = await api.ask("POST /api/messages", { body: {} });
    expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, "server"]);
    await using lonely = await openHttpTestServer({ settings: { hasRelay: false } });
    const { id } = await lonely.addServer();
    const body = { to: "friend@outside.example", send: true, text: "x" };
    const rejected = await lonely.ask(`POST /api/messages?server=${id}`, { body });
    expect([rejected.statusCode, rejected.body.includes("RESTANTE_RELAY_URL")]).toEqual([400, true]);
    const inside = { ...body, to: `x@${id}.restante.test` };
    expect((await lonely.ask(`POST /api/messages?server=${id}`, { body: inside })).statusCode).toBe(200);
  });

  test("responds 413 for a mail beyond the size limit, and accepts one at the limit", async () => {
    await using small = await openHttpTestServer({ limits: { messageBytesMax: 2000 } });
    const { id } = await small.addServer();
    const ask = (length: number): Promise<Reply> =>
      small.ask(`POST /api/messages?server=${id}`, { body: { to: "a@b.example", text: "x".repeat(length) } });
    expect((await ask(500)).statusCode).toBe(200);
    expect((await ask(2000)).statusCode).toBe(413);
  });

  test("responds 413 for a body of 76 MiB before reading it", async () => {
    const headers = { "content-type": "application/json", "content-length": String(76 * 1024 * 1024) };
    const reply = await api.ask(`POST /api/messages?server=${server.id}`, { body: "{}", headers });
    expect(reply.statusCode).toBe(413);
  });

  test.each([
    ["the id of a server before any domain", (id: string) => `x@${id}.mailosaur.net`],
    ["the id of a server before localhost", (id: string) => `x@${id}.localhost`],
  ])("delivers to own addresses without a relay: %s", async (_name, addressIn) => {
    await using lonely = await openHttpTestServer({ settings: { hasRelay: false } });
    const [sender, receiver] = [await lonely.addServer("sender"), await lonely.addServer("receiver")];
    const body = { to: addressIn(receiver.id), send: true, text: "x", subject: "x" };
    const reply = await lonely.ask(`POST /api/messages?server=${sender.id}`, { body });
    expect(reply.json()).toMatchObject({ delivery: { status: "Sent" } });
    const found = await lonely.ask(`GET /api/messages?server=${receiver.id}`);
    expect(found.json()).toMatchObject([{ to: [{ email: body.to }] }]);
    const restricted = await lonely.ask(`POST /api/messages?server=${sender.id}`, { body, key: sender.key });
    expect(restricted.json()).toMatchObject({ errors: [{ field: "to", detail: [{ code: "not_verified" }] }] });
  });

  test("delivers mail to the mail domain itself to the catch-all server", async () => {
    await using lonely = await openHttpTestServer({ settings: { hasRelay: false } });
    const { id } = await lonely.addServer();
    const body = { to: "x@restante.test", send: true, text: "x", subject: "x" };
    expect((await lonely.ask(`POST /api/messages?server=${id}`, { body })).statusCode).toBe(200);
    const found = await lonely.ask(`GET /api/messages?server=${id}`);
    expect(found.json()).toMatchObject([{ to: [{ email: body.to }] }]);
    await using closed = await openHttpTestServer({ settings: { hasRelay: false, catchAll: "off" } });
    const { id: other } = await closed.addServer();
    expect((await closed.ask(`POST /api/messages?server=${other}`, { body })).statusCode).toBe(400);
  });

  test("responds 429 beyond the outbound limit per hour; mail to own servers does not count", async () => {
    await using slow = await openHttpTestServer({ limits: { outboundCountPerHourMax: 2 } });
    const { id } = await slow.addServer();
    const send = (fields: object): Promise<Reply> =>
      slow.ask(`POST /api/messages?server=${id}`, { body: { text: "x", send: true, ...fields } });
    const two = { to: "friend@outside.example", cc: "a@verified.example" };
    expect((await send(two)).statusCode).toBe(200);
    const rejected = await send({ to: "friend@outside.example" });
    expect([rejected.statusCode, rejected.headers["retry-after"]]).toEqual([429, "3600"]);
    expect((await send({ to: `x@${id}.restante.test` })).statusCode).toBe(200);
    slow.clock.advance(3_600_000);
    expect((await send(two)).statusCode).toBe(200);
  });
});

describe("without memory for a large mail", () => {
  const text = "a line of text\n".repeat(40_000);
  test.each([
    ["create", "POST /api/messages?server=:server", { subject: "Large", text }],
    [
      "send",
      "POST /api/messages?server=:server",
      { subject: "Large", text, send: true, to: "x@:server.restante.test" },
    ],
    ["forward", "POST /api/messages/:id/forward", { text, to: "x@:server.restante.test" }],
    ["reply", "POST /api/messages/:id/reply", { text }],
  ])("%s responds 429 or 503 with the body of the catalogue, and stores nothing", async (_, line, template) => {
    await using own = await openHttpTestServer({ limits: { mailWorkBytesMax: 4 * 1024 * 1024 } });
    const { admission } = own.context;
    const server = await own.addServer();
    const id = await own.deliver(server, { raw: `From: a@${server.id}.restante.test\r\nSubject: Hi\r\n\r\nHello\r\n` });
    const fill = (given: string): string => given.replace(":server", server.id).replace(":id", id);
    const body = JSON.parse(fill(JSON.stringify(template))) as unknown;
    const countOf = async (): Promise<number | undefined> => (await own.context.store.statistics()).messageCount;
    const call = async (): Promise<readonly unknown[]> => {
      const pending = own.ask(fill(line), { body });
      await until(() => admission.waitingCount() === 1);
      own.clock.advance(30_000);
      const reply = await pending;
      return [reply.statusCode, reply.headers["retry-after"], reply.json<WireError>().type];
    };
    const before = await countOf();
    const key = (await own.context.store.listKeys()).find(({ server: of }) => of === null);
    const releaseOwn = await admission.admit(600_000, key?.id ?? "");
    expect(await call()).toEqual([429, "1", "TooManyRequests"]);
    releaseOwn?.();
    const releaseOther = await admission.admit(800_000, "another");
    expect(await call()).toEqual([503, "1", "Unavailable"]);
    releaseOther?.();
    expect([admission.bytesReserved(), await countOf()]).toEqual([0, before]);
    expect((await own.ask(fill(line), { body })).statusCode).toBe(200);
    expect(admission.bytesReserved()).toBe(0);
  });
});

describe("Idempotency-Key", () => {
  const sending = { to: "friend@outside.example", subject: "Once", text: "x", send: true };

  test("returns the first result for a repetition within 24 hours, also a concurrent one", async () => {
    const headers = { "idempotency-key": "one" };
    const replies = await Promise.all([1, 2, 3].map(() => create(sending, headers)));
    const later = await create(sending, headers);
    const ids = new Set([...replies, later].map((reply) => reply.json<Message>().id));
    expect(ids.size).toBe(1);
    expect((await list(server.id, "Sent")).filter(({ subject }) => subject === "Once")).toHaveLength(1);
  });

  test("responds 409 for another request with the same key; other API keys are independent", async () => {
    const headers = { "idempotency-key": "two" };
    const first = (await create(sending, headers)).json<Message>();
    expect((await create({ ...sending, subject: "Other" }, headers)).statusCode).toBe(409);
    const line = `POST /api/messages?server=${server.id}`;
    const restricted = await api.ask(line, { body: sending, headers, key: server.key });
    expect(restricted.json<Message>().id).not.toBe(first.id);
  });

  test("compares long requests to their last character", async () => {
    const headers = { "idempotency-key": "long" };
    const [one, other] = ["a", "b"].map((last) => ({ ...sending, text: "x".repeat(2 * 1024 * 1024) + last }));
    const first = (await create(one, headers)).json<Message>();
    expect((await create(one, headers)).json<Message>().id).toBe(first.id);
    expect((await create(other, headers)).statusCode).toBe(409);
  });

  test("allows a corrected request after a rejected one", async () => {
    const headers = { "idempotency-key": "three" };
    expect((await create({ ...sending, to: "x@y.example" }, headers)).statusCode).toBe(400);
    expect((await create(sending, headers)).statusCode).toBe(200);
  });

  test("expires after 24 hours, and rejects a key that is too long", async () => {
    const headers = { "idempotency-key": "four" };
    const first = (await create(sending, headers)).json<Message>();
    api.clock.advance(24 * 3_600_000);
    expect((await create(sending, headers)).json<Message>().id).not.toBe(first.id);
    expect((await create(sending, { "idempotency-key": "x".repeat(256) })).statusCode).toBe(400);
    expect((await create(sending, { "idempotency-key": "x".repeat(255) })).statusCode).toBe(200);
  });
});
