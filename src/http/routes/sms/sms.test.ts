import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message, Summary } from "../../../core/message.ts";
import { signTwilioRequest } from "../../../providers/twilio/message.ts";
import { withVonageSignature } from "../../../providers/vonage/message.ts";
import type { FormFields } from "../../../core/read-form.ts";
import { writeForm } from "../../../providers/formats/form.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import type { WireError } from "../../wire/error-schema.ts";
import type { WireNumber } from "../../wire/sms-schema.ts";

let api: HttpTestServer;
let catchAll: TestServer;
let server: TestServer;
const webhook = "http://app.test/inbound";

beforeAll(async () => {
  api = await openHttpTestServer({ settings: { callbackOrigins: ["http://callbacks.test"] } });
  catchAll = await api.addServer("first");
  api.clock.advance(1);
  server = await api.addServer("second");
  for (const [number, fields] of [
    ["+15550100", { provider: "twilio", secret: "token", webhook }],
    ["+15550101", { provider: "vonage", secret: "sig-secret", webhook: "http://app.test/vonage" }],
    ["+15550102", {}],
  ] as const) {
    await api.ask("POST /api/phone-numbers", { body: { number, server: server.id, ...fields } });
  }
});
afterAll(async () => api[Symbol.asyncDispose]());

const receive = (body: unknown): Promise<Reply> => api.ask("POST /api/sms", { body });
const post = (path: string, fields: FormFields, { key, ...headers }: Readonly<Record<string, string>> = {}) =>
  api.ask(`POST ${path}`, {
    key: key ?? null,
    body: writeForm(fields),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
const messagesOf = async (id: string, dir = "Received"): Promise<readonly Summary[]> =>
  (await api.ask(`GET /api/messages?server=${id}&dir=${dir}`)).json();
const messageCount = async (): Promise<number> =>
  (await messagesOf(server.id)).length + (await messagesOf(catchAll.id)).length;

describe("POST /api/sms", () => {
  test("stores an SMS in the server of its number, with codes, links and segments", async () => {
    const text = "Your code is 482913. https://x.example/a";
    const message = (await receive({ from: "+44 7700 900123", to: "+1 555-0100", text })).json<Message>();
    expect(message).toMatchObject({
      type: "SMS",
      server: server.id,
      subject: "",
      from: [{ name: "", email: null, phone: "+447700900123" }],
      to: [{ name: "", email: null, phone: "+15550100" }],
      text: { body: text, codes: [{ value: "482913" }], links: [{ href: "https://x.example/a" }] },
      html: { body: null, links: [], codes: [], images: [] },
      attachments: [],
      sms: { encoding: "GSM-7", segments: 1 },
    });
    expect((await api.ask(`GET /api/messages/${message.id}`)).json()).toEqual(message);
    expect((await api.ask(`GET /api/files/email/${message.id}`)).statusCode).toBe(404);
    expect((await messagesOf(server.id))[0]).toMatchObject({ id: message.id, type: "SMS", summary: text });
  });

  test("makes it searchable by number with and without + and by text, also for waiting searches", async () => {
    const search = (body: object): Promise<Reply> =>
      api.ask(`POST /api/messages/search?server=${server.id}&timeout=5000`, { body });
    const waiting = search({ sentTo: "15550102", body: "waited" });
    const { id } = (await receive({ from: "MyApp", to: "+15550102", text: "Waited for 日本" })).json<Message>();
    expect((await waiting).json<Summary[]>().map((one) => one.id)).toEqual([id]);
    expect((await search({ sentFrom: "myapp" })).json<Summary[]>().map((one) => one.id)).toEqual([id]);
    const message = (await api.ask(`GET /api/messages/${id}`)).json<Message>();
    expect(message.sms).toEqual({ encoding: "UCS-2", segments: 1 });
  });

  test("uses the given time, and the catch-all server for an unknown number", async () => {
    const received = "2020-02-03T04:05:06.789Z";
    const text = { from: "12345", to: "+447700900999", text: "x", received };
    expect((await receive(text)).json<Message>()).toMatchObject({ server: catchAll.id, received });
  });

  test.each([
    [{ to: "+15550100", text: "x" }, "from"],
    [{ from: "an alphanumeric name too long", to: "+15550100" }, "from"],
    [{ from: "+15550100", to: "15550100" }, "to"],
    [{ from: "+15550100" }, "to"],
    [{ from: "+15550100", to: "+15550100", text: "x".repeat(1601) }, "text"],
    [{ from: "+15550100", to: "+15550100", text: 5 }, "text"],
    [{ from: "+15550100", to: "+15550100", received: "yesterday" }, "received"],
    [{ from: "+15550100", to: "+15550100", received: "2999-01-01T00:00:00Z" }, "received"],
  ])("responds 400 to %j, naming the field", async (body, field) => {
    const before = await messageCount();
    const reply = await receive(body);
    expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, field]);
    expect(await messageCount()).toBe(before);
  });

  test("accepts 1600 characters, and responds 403 to a restricted key and 404 when no server accepts the number", async () => {
    const body = { from: "+15550100", to: "+15550100", text: "x".repeat(1600) };
    expect((await receive(body)).json<Message>().sms?.segments).toBe(11);
    expect((await api.ask("POST /api/sms", { key: server.key, body })).statusCode).toBe(403);
    await using closed = await openHttpTestServer({ settings: { catchAll: "off" } });
    expect((await closed.ask("POST /api/sms", { body })).statusCode).toBe(404);
  });
});

describe("phone numbers", () => {
  test("are listed without their secrets, unique, and removable", async () => {
    const listed = (await api.ask("GET /api/phone-numbers")).json<WireNumber[]>();
    expect(listed.map(({ number, signed }) => [number, signed])).toEqual([
      ["+15550100", true],
      ["+15550101", true],
      ["+15550102", false],
    ]);
    expect(JSON.stringify(listed)).not.toContain("sig-secret");
    const body = { number: "+1 555 0100", server: catchAll.id };
    expect((await api.ask("POST /api/phone-numbers", { body })).statusCode).toBe(409);
    const other = await api.ask("POST /api/phone-numbers", { body: { ...body, number: "+15550109" } });
    const { id } = other.json<WireNumber>();
    expect((await api.ask(`DELETE /api/phone-numbers/${id}`)).statusCode).toBe(204);
    expect((await api.ask(`DELETE /api/phone-numbers/${id}`)).statusCode).toBe(404);
  });

  test.each([
    [{}, 400],
    [{ number: "0100" }, 400],
    [{ number: "+15550110" }, 400],
    [{ number: "+15550110", server: "SERVER", webhook: "ftp://x.example" }, 400],
    [{ number: "+15550110", server: "SERVER", webhook: "http://user:pass@x.example" }, 400],
    [{ number: "+15550110", server: "SERVER", provider: "other" }, 400],
    [{ number: "+15550110", server: "aaaaaaaa" }, 404],
  ])("respond to %j with %i", async (body, status) => {
    const text = JSON.stringify(body).replace("SERVER", server.id);
    const headers = { "content-type": "application/json" };
    expect((await api.ask("POST /api/phone-numbers", { body: text, headers })).statusCode).toBe(status);
  });
});

describe("the account of a number", () => {
  const add = (account: unknown): Promise<Reply> =>
    api.ask("POST /api/phone-numbers", { body: { number: "+15550120", server: server.id, account } });

  test("is never shown, except whether there is one", async () => {
    const added = await add({
      id: "AC_9-x",
      key: "SK1",
      secret: "account-secret",
      apiUrl: "https://api.example/base/",
    });
    expect(added.json<WireNumber>()).toMatchObject({ number: "+15550120", signed: false, sends: true });
    const listed = await api.ask("GET /api/phone-numbers");
    expect(listed.json<WireNumber[]>().filter(({ sends }) => sends)).toHaveLength(1);
    for (const { body } of [added, listed]) expect(body).not.toMatch(/account-secret|AC_9-x|SK1|api\.example/);
    const { id } = added.json<WireNumber>();
    expect((await api.ask(`DELETE /api/phone-numbers/${id}`)).statusCode).toBe(204);
  });

  test.each([
    [{ secret: "s" }, "account.id"],
    [{ id: "a/../b", secret: "s" }, "account.id"],
    [{ id: "a:b", secret: "s" }, "account.id"],
    [{ id: "x".repeat(65), secret: "s" }, "account.id"],
    [{ id: "AC1", key: "a b", secret: "s" }, "account.key"],
    [{ id: "AC1" }, "account.secret"],
    [{ id: "AC1", secret: "x".repeat(257) }, "account.secret"],
    [{ id: "AC1", secret: "s", apiUrl: "ftp://x.example" }, "account.apiUrl"],
    [{ id: "AC1", secret: "s", apiUrl: "https://user:pass@x.example" }, "account.apiUrl"],
    [{ id: "AC1", secret: "s", apiUrl: "https://x.example/?a=" }, "account.apiUrl"],
    ["AC1", "account"],
  ])("responds 400 to %j, naming the field", async (account, field) => {
    const reply = await add(account);
    expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, field]);
  });

  test("accepts 64 characters of id and 256 of secret", async () => {
    const added = await add({ id: "x".repeat(64), secret: "x".repeat(256) });
    expect(added.statusCode).toBe(200);
    await api.ask(`DELETE /api/phone-numbers/${added.json<WireNumber>().id}`);
  });
});

describe("POST /api/messages/:id/reply to an SMS", () => {
  const incoming = async (to: string): Promise<string> =>
    (await receive({ from: "+447700900123", to, text: "Reply YES" })).json<Message>().id;
  const reply = (id: string, body: object): Promise<Reply> => api.ask(`POST /api/messages/${id}/reply`, { body });

  test("sends an approved phrase in any letter case to the webhook", async () => {
    const response = (await reply(await incoming("+15550100"), { text: " yes " })).json<Message>();
    expect(response).toMatchObject({
      type: "SMS",
      from: [{ phone: "+15550100" }],
      to: [{ phone: "+447700900123" }],
      text: { body: "yes" },
      delivery: { status: "Queued" },
    });
    expect((await messagesOf(server.id, "Sent"))[0]?.id).toBe(response.id);
  });

  test.each([
    [{ text: "Send money" }, "text", "not_approved"],
    [{ text: "yes please" }, "text", "not_approved"],
    [{}, "text", "required"],
    [{ text: "YES", html: "<p>YES</p>" }, "html", "not_for_sms"],
    [{ text: "YES", cc: "friend@outside.example" }, "cc", "not_for_sms"],
    [{ text: "YES", attachments: [{ content: "aGk=" }] }, "attachments", "not_for_sms"],
  ])("responds 400 without storing anything: %j", async (body, field, code) => {
    const id = await incoming("+15550100");
    const before = (await messagesOf(server.id, "Sent")).length;
    const rejected = await reply(id, body);
    expect(rejected.statusCode).toBe(400);
    expect(rejected.json<WireError>().errors).toMatchObject([{ field, detail: [{ code }] }]);
    expect(await messagesOf(server.id, "Sent")).toHaveLength(before);
  });

  test("responds 400 for a number without a webhook and for forwarding an SMS", async () => {
    const id = await incoming("+15550102");
    expect((await reply(id, { text: "YES" })).body).toContain("no_webhook");
    const forward = await api.ask(`POST /api/messages/${id}/forward`, { body: { to: "friend@outside.example" } });
    expect(forward.statusCode).toBe(400);
  });

  test("allows an account key to replace the phrases, which are trimmed and unique", async () => {
    await using own = await openHttpTestServer();
    const { key } = await own.addServer();
    const put = (body: unknown, by: string | undefined): Promise<Reply> =>
      own.ask("PUT /api/approved-phrases", { body, ...(by !== undefined && { key: by }) });
    expect((await own.ask("GET /api/approved-phrases")).json()).toEqual({ phrases: ["YES", "NO", "STOP", "START"] });
    expect((await put({ phrases: [" Ja ", "JA", "nein", " "] }, undefined)).json()).toEqual({
      phrases: ["JA", "nein"],
    });
    expect((await own.ask("GET /api/approved-phrases")).json()).toEqual({ phrases: ["JA", "nein"] });
    expect((await put({ phrases: [] }, undefined)).json()).toEqual({ phrases: [] });
    expect((await put({ phrases: ["x"] }, key)).statusCode).toBe(403);
    expect((await own.ask("GET /api/approved-phrases", { key })).statusCode).toBe(403);
    for (const body of [
      {},
      { phrases: "x" },
      { phrases: ["x".repeat(161)] },
      { phrases: Array(1001).keys().map(String).toArray() },
    ]) {
      expect((await put(body, undefined)).statusCode).toBe(400);
    }
  });
});

describe("inbound webhooks", () => {
  const twilio: FormFields = [
    ["MessageSid", "SM1"],
    ["From", "+447700900123"],
    ["To", "+15550100"],
    ["Body", "From Twilio: código 1234"],
  ];
  const url = "http://localhost/api/sms/twilio?x=1";

  test("accept Twilio's when it is signed with the number's secret", async () => {
    const signature = signTwilioRequest({ url, form: twilio }, "token");
    const reply = await post("/api/sms/twilio?x=1", twilio, { "x-twilio-signature": signature });
    expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "text/xml; charset=utf-8"]);
    expect(reply.body).toContain("<Response></Response>");
    expect((await messagesOf(server.id))[0]?.summary).toBe("From Twilio: código 1234");
  });

  test.each<[string, FormFields, string | null]>([
    ["no signature", twilio, null],
    ["another secret", twilio, signTwilioRequest({ url, form: twilio }, "other")],
    ["another URL", twilio, signTwilioRequest({ url: "http://localhost/", form: twilio }, "token")],
    ["changed fields", [...twilio, ["Body", "more"]], signTwilioRequest({ url, form: twilio }, "token")],
    ["a number without a secret", [["To", "+15550102"]], signTwilioRequest({ url, form: [["To", "+15550102"]] }, "")],
    ["an unknown number", [["To", "+15550177"]], signTwilioRequest({ url, form: [["To", "+15550177"]] }, "token")],
    [
      "another provider's number",
      [["To", "+15550101"]],
      signTwilioRequest({ url, form: [["To", "+15550101"]] }, "sig-secret"),
    ],
  ])("respond 401 to Twilio's with %s without storing anything", async (_name, form, signature) => {
    const before = await messageCount();
    const headers: Record<string, string> = signature === null ? {} : { "x-twilio-signature": signature };
    expect((await post("/api/sms/twilio?x=1", form, headers)).statusCode).toBe(401);
    expect(await messageCount()).toBe(before);
  });

  test("accept Vonage's by GET, POST and as JSON when it is signed and recent", async () => {
    const fields: FormFields = [
      ["msisdn", "447700900123"],
      ["to", "15550101"],
      ["messageId", "1"],
      ["text", "From Vonage & co"],
    ];
    const signed = withVonageSignature(fields, "sig-secret", api.clock.now());
    expect((await api.ask(`GET /api/sms/vonage?${writeForm(signed)}`, { key: null })).statusCode).toBe(204);
    expect((await post("/api/sms/vonage", signed)).statusCode).toBe(204);
    const json = await api.ask("POST /api/sms/vonage", { key: null, body: Object.fromEntries(signed) });
    expect(json.statusCode).toBe(204);
    expect((await messagesOf(server.id))[0]).toMatchObject({
      summary: "From Vonage & co",
      from: [{ phone: "+447700900123" }],
    });
    const old = withVonageSignature(fields, "sig-secret", api.clock.now() - 6 * 60_000);
    expect((await post("/api/sms/vonage", old)).statusCode).toBe(401);
    expect((await post("/api/sms/vonage", fields)).statusCode).toBe(401);
  });
});

describe("Vonage's send request", () => {
  const fields = (changes: Record<string, string> = {}): FormFields =>
    Object.entries({
      api_key: "k",
      api_secret: api.accountKey,
      from: "App",
      to: "15550101",
      text: "Code 4321",
      ...changes,
    });

  test("is captured with Vonage's response, and a receipt to an allowed target", async () => {
    const reply = await post("/sms/json", fields({ callback: "http://callbacks.test/receipt" }));
    expect(reply.json()).toMatchObject({ "message-count": "1", messages: [{ to: "15550101", status: "0" }] });
    const [message] = await messagesOf(server.id);
    expect(message).toMatchObject({ summary: "Code 4321", from: [{ phone: "App" }] });
    expect(reply.json<{ messages: { "message-id": string }[] }>().messages[0]?.["message-id"]).toBe(message?.id);
  });

  test.each([
    [{ api_secret: "wrong" }, "4"],
    [{ to: "x" }, "3"],
    [{ text: "" }, "2"],
    [{ callback: "http://evil.test/" }, "3"],
  ])("answers a send request with %j by status %s", async (changes, status) => {
    const before = await messageCount();
    const reply = await post("/sms/json", fields(changes));
    expect([reply.statusCode, reply.json<{ messages: object[] }>().messages]).toMatchObject([200, [{ status }]]);
    expect(await messageCount()).toBe(before);
  });
});

describe("routes in the formats of providers", () => {
  test.each([
    ["/api/sms/twilio", [{ status: 413 }, { status: 415 }]],
    ["/api/sms/vonage", [{ status: 413 }, { status: 415 }]],
    ["/sms/json", [{ messages: [{ status: "3" }] }, { messages: [{ status: "3" }] }]],
    ["/2010-04-01/Accounts/AC1/Messages.json", [{ status: 400 }, { status: 400 }]],
  ])("%s limits its body to 64 KiB, and accepts forms and JSON only", async (path, errors) => {
    const headers = { "content-type": "text/plain" };
    const replies = [
      await post(path, [["Body", "x".repeat(64 * 1024)]], { key: api.accountKey }),
      await api.ask(`POST ${path}`, { body: "x=y", headers }),
    ];
    expect(replies.map((reply) => reply.json<unknown>())).toMatchObject(errors);
  });

  test("a restricted key stores SMS in its own server, whatever the number", async () => {
    const form: FormFields = [
      ["To", "+15550100"],
      ["From", "App"],
      ["Body", "Restricted"],
    ];
    const reply = await post("/2010-04-01/Accounts/AC1/Messages.json", form, { key: catchAll.key });
    expect(reply.statusCode).toBe(201);
    expect((await messagesOf(catchAll.id))[0]?.summary).toBe("Restricted");
    const { sid } = reply.json<{ sid: string }>();
    const fetched = `GET /2010-04-01/Accounts/AC1/Messages/${sid}.json`;
    expect((await api.ask(fetched, { key: catchAll.key })).json()).toMatchObject({ sid, status: "delivered" });
    expect((await api.ask(fetched, { key: server.key })).json()).toMatchObject({ code: 20404, status: 404 });
    expect((await api.ask(fetched, { key: "wrong" })).json()).toMatchObject({ code: 20003, status: 401 });
    const listed = async (query: string, key: string): Promise<readonly unknown[]> => {
      const reply = await api.ask(`GET /2010-04-01/Accounts/AC1/Messages.json${query}`, { key });
      return reply.json<{ messages: { body: string }[] }>().messages.map(({ body }) => body);
    };
    expect(await listed("", catchAll.key)).toContain("Restricted");
    expect(await listed("?To=%2B15550100", catchAll.key)).toEqual(["Restricted"]);
    expect(await listed("", server.key)).not.toContain("Restricted");
    expect(await listed("?PageSize=1000&Page=1", catchAll.key)).toEqual([]);
  });
});
