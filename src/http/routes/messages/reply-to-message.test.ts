import { simpleParser } from "mailparser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../../core/message.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import type { WireError } from "../../wire/error-schema.ts";

let api: HttpTestServer;
let server: TestServer;
let original: string;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  original = await api.deliver(server, {
    to: `Inbox@${server.id.toUpperCase()}.restante.test`,
    raw: [
      "From: App <friend@outside.example>",
      `To: Inbox@${server.id.toUpperCase()}.restante.test`,
      "Message-ID: <one@outside.example>",
      "References: <zero@outside.example>",
      "Subject: Question",
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "Content-Type: text/html; charset=utf-8",
      "",
      "<p>Do you <b>agree</b>?</p>",
      "--b",
      "Content-Type: image/png; name=cat.png",
      "Content-Transfer-Encoding: base64",
      "",
      "AAECAw==",
      "--b--",
      "",
    ].join("\r\n"),
  });
});
afterAll(async () => api[Symbol.asyncDispose]());

const reply = (id: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  api.ask(`POST /api/messages/${id}/reply`, { body, headers });
const forward = (id: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  api.ask(`POST /api/messages/${id}/forward`, { body, headers });
const sentCount = async (): Promise<number> =>
  (await api.ask(`GET /api/messages?server=${server.id}&dir=Sent&itemsPerPage=1000`)).json<unknown[]>().length;
const rawOf = async (message: Message): Promise<Buffer> =>
  (await api.ask(`GET /api/files/email/${message.id}`)).rawPayload;

describe("POST /api/messages/:id/reply", () => {
  test("composes a mail whose thread, quote and attachments another parser reads", async () => {
    const attachments = [{ fileName: "answer.bin", contentType: "application/x-answer", content: "//8=" }];
    const fields = { text: "Yes, I do.", html: "<p>Yes, <i>I do</i>.</p>", attachments };
    const response = (await reply(original, { ...fields, cc: "a@verified.example" })).json<Message>();
    expect(response).toMatchObject({
      subject: "Re: Question",
      to: [{ name: "App", email: "friend@outside.example" }],
      cc: [{ email: "a@verified.example" }],
      from: [{ email: `Inbox@${server.id}.restante.test` }],
      delivery: { status: "Queued" },
    });
    expect(response.text.body).toContain(fields.text);
    expect(response.html.body).toContain(fields.html);

    const parsed = await simpleParser(await rawOf(response), {});
    expect(parsed.text).toMatch(/^Yes, I do\.\n\nOn .*friend@outside\.example.* wrote:\n> Do you agree\?/);
    expect(parsed.html).toContain("<p>Do you <b>agree</b>?</p>");
    expect(parsed.attachments.map(({ filename, content }) => [filename, content])).toEqual([
      ["answer.bin", Buffer.from([255, 255])],
    ]);
    const headers = new Map(response.metadata.headers.map(({ field, value }) => [field.toLowerCase(), value]));
    expect(headers.get("in-reply-to")).toBe("<one@outside.example>");
    expect(headers.get("references")).toBe("<zero@outside.example> <one@outside.example>");
  });

  test("quotes the visible text of an HTML-only mail in a text reply", async () => {
    const response = (await reply(original, { text: "Fine." })).json<Message>();
    expect(response.text.body).toContain("> Do you agree?");
    expect(response.html.body).toBeNull();
  });

  test("replies to Reply-To, to each address once", async () => {
    const raw =
      "From: a@stranger.example\r\nReply-To: x@verified.example, X@VERIFIED.example\r\nSubject: Re: Q\r\n\r\nhi\r\n";
    const id = await api.deliver(server, { raw });
    const response = (await reply(id, { text: "ok" })).json<Message>();
    expect([response.subject, response.metadata.rcptTo.map(({ email }) => email)]).toEqual([
      "Re: Q",
      ["x@verified.example"],
    ]);
  });

  test("replies to a mail between own servers, and delivers the reply", async () => {
    const to = `b@${server.id}.restante.test`;
    await api.ask(`POST /api/messages?server=${server.id}`, { body: { to, subject: "Loop", text: "x", send: true } });
    const [received] = (await api.ask(`GET /api/messages?server=${server.id}`)).json<Message[]>();
    const response = (await reply(received?.id ?? "", { text: "round" })).json<Message>();
    expect(response).toMatchObject({ delivery: { status: "Sent" }, from: [{ email: to }] });
    const [back] = (await api.ask(`GET /api/messages?server=${server.id}`)).json<Message[]>();
    expect(back?.subject).toBe("Re: Loop");
  });

  test("responds 400 when the original's sender is not verified or missing, without storing anything", async () => {
    const before = await sentCount();
    const cases: [string, string][] = [
      ["From: a@stranger.example", "not_verified"],
      ["From: friend@outside.example\r\nReply-To: a@stranger.example", "not_verified"],
      ["From: friend@outside.example, b@stranger.example", "not_verified"],
      ['From: "friend@outside.example" <"friend@outside.example"@stranger.example>', "invalid_address"],
      ["Subject: from nobody", "required"],
    ];
    for (const [head, code] of cases) {
      const id = await api.deliver(server, { raw: `${head}\r\n\r\nhi\r\n` });
      const rejected = await reply(id, { text: "x" });
      expect(rejected.statusCode).toBe(400);
      expect(rejected.json<WireError>().errors).toMatchObject([{ field: "to", detail: [{ code }] }]);
    }
    expect(await sentCount()).toBe(before);
  });

  test("returns the first result for a repetition with the same Idempotency-Key", async () => {
    const headers = { "idempotency-key": "reply" };
    const first = (await reply(original, { text: "once" }, headers)).json<Message>();
    expect((await reply(original, { text: "once" }, headers)).json<Message>().id).toBe(first.id);
    expect((await reply(original, { text: "twice" }, headers)).statusCode).toBe(409);
  });
});

describe("POST /api/messages/:id/forward", () => {
  test("sends the original with its attachments below the given text", async () => {
    const fields = { to: "friend@outside.example", cc: "a@verified.example", text: "Look:", html: "<p>Look:</p>" };
    const passed = (await forward(original, fields)).json<Message>();
    expect(passed).toMatchObject({
      subject: "Fwd: Question",
      to: [{ email: "friend@outside.example" }],
      cc: [{ email: "a@verified.example" }],
      attachments: [{ fileName: "cat.png", contentType: "image/png", length: 4 }],
      delivery: { status: "Queued" },
    });
    const parsed = await simpleParser(await rawOf(passed), {});
    expect(parsed.text).toMatch(/^Look:[^]*Forwarded message[^]*Do you agree\?/);
    expect(parsed.html).toContain("<p>Do you <b>agree</b>?</p>");
    expect(parsed.attachments.map(({ content }) => content)).toEqual([Buffer.from([0, 1, 2, 3])]);
  });

  test("returns the first result for a repetition with the same Idempotency-Key", async () => {
    const [headers, body] = [{ "idempotency-key": "forward" }, { to: "friend@outside.example" }];
    const first = (await forward(original, body, headers)).json<Message>();
    expect((await forward(original, body, headers)).json<Message>().id).toBe(first.id);
  });
});

const routes = { reply, forward };

describe.each(["reply", "forward"] as const)("rejections of %s", (name) => {
  const to = name === "forward" ? { to: "friend@outside.example" } : {};
  const cases: [string, object, string][] = [
    ["an unverified cc", { ...to, cc: "x@stranger.example" }, "cc"],
    ["two addresses in cc", { ...to, cc: "friend@outside.example,x@stranger.example" }, "cc"],
    ["text that is no text", { ...to, text: [] }, "text"],
    ["HTML that is no text", { ...to, html: 1 }, "html"],
    ...(name === "reply"
      ? ([
          ["broken base64", { attachments: [{ content: "?" }] }, "attachments[0].content"],
          ["10,000 attachments", { attachments: Array.from({ length: 10_000 }, () => ({})) }, "attachments"],
        ] as [string, object, string][])
      : ([
          ["no recipient", {}, "to"],
          ["an unverified recipient", { to: "x@stranger.example" }, "to"],
          ["a list", { to: ["friend@outside.example"] }, "to"],
        ] as [string, object, string][])),
  ];

  test.each(cases)("responds 400 without storing anything: %s", async (_name, body, field) => {
    const before = await sentCount();
    const rejected = await routes[name](original, body);
    expect([rejected.statusCode, rejected.json<WireError>().errors[0]?.field]).toEqual([400, field]);
    expect(await sentCount()).toBe(before);
  });

  test("responds 404 for an unknown message and 413 for a body of 76 MiB", async () => {
    expect((await routes[name]("6d1b9d4e-0000-4000-8000-000000000000", { ...to, text: "x" })).statusCode).toBe(404);
    const headers = { "content-length": String(76 * 1024 * 1024) };
    expect((await routes[name](original, to, headers)).statusCode).toBe(413);
  });
});
