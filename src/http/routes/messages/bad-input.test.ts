/** Invalid input of the three endpoints that compose mail; each row applies to each of them. */
import { simpleParser } from "mailparser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../../core/message.ts";
import {
  openHttpTestServer,
  type Ask,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import type { WireError } from "../../wire/error-schema.ts";

let api: HttpTestServer;
let server: TestServer;
let other: TestServer;
let original: string;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  other = await api.addServer();
  original = await api.deliver(server, { from: "friend@outside.example" });
});
afterAll(async () => api[Symbol.asyncDispose]());

const endpoints = ["create", "forward", "reply"] as const;
type Endpoint = (typeof endpoints)[number];

const lineOf = (endpoint: Endpoint): string =>
  endpoint === "create" ? `POST /api/messages?server=${server.id}` : `POST /api/messages/${original}/${endpoint}`;
const to = "friend@outside.example";
/** Valid fields. */
const good: Readonly<Record<Endpoint, object>> = {
  create: { to, subject: "Good", text: "x", send: true },
  forward: { to, text: "x" },
  reply: { text: "x" },
};
const ask = (endpoint: Endpoint, fields: object, request: Ask = {}): Promise<Reply> =>
  api.ask(lineOf(endpoint), { body: { ...good[endpoint], ...fields }, ...request });
const countAll = async (): Promise<number> => {
  const counts = ["Sent", "Received"].map(async (dir) =>
    (await api.ask(`GET /api/messages?server=${server.id}&dir=${dir}&itemsPerPage=1000`)).json<unknown[]>(),
  );
  return (await Promise.all(counts)).flat().length;
};
const json = { "content-type": "application/json" };

describe.each(endpoints)("%s", (endpoint) => {
  const takesFiles = endpoint !== "forward";

  test("accepts valid fields", async () => {
    const reply = await ask(endpoint, {});
    expect(reply.statusCode).toBe(200);
    expect(reply.json<Message>().delivery?.status).toBe("Queued");
  });

  const wrongFields: [string, object, string, string][] = [
    ["an unverified cc", { cc: "x@stranger.example" }, "cc", "not_verified"],
    ["two addresses", { cc: `${to},x@stranger.example` }, "cc", "invalid_address"],
    ["an address with a line end", { cc: `${to}\r\nBcc: x@stranger.example` }, "cc", "invalid_address"],
    ["a cc that is a list", { cc: [to] }, "cc", "invalid_type"],
    ["text that is a number", { text: 1 }, "text", "invalid_type"],
    ["HTML that is an object", { html: {} }, "html", "invalid_type"],
    ...(endpoint === "reply"
      ? []
      : ([
          ["an unverified recipient", { to: "x@stranger.example" }, "to", "not_verified"],
          ["no recipient", { to: null }, "to", "required"],
          ["a recipient in brackets", { to: `<${to}>` }, "to", "invalid_address"],
          ["a recipient that is a number", { to: 1 }, "to", "invalid_type"],
        ] as [string, object, string, string][])),
    ...(takesFiles
      ? ([
          ["attachments that are no list", { attachments: "x" }, "attachments", "invalid_type"],
          ["an attachment that is no object", { attachments: [1] }, "attachments[0]", "invalid_type"],
          ["a name that is no text", { attachments: [{ fileName: 1 }] }, "attachments[0].fileName", "invalid_type"],
          ["base64 without padding", { attachments: [{ content: "aGk" }] }, "attachments[0].content", "invalid_base64"],
          ["base64 of URLs", { attachments: [{ content: "_-8=" }] }, "attachments[0].content", "invalid_base64"],
          [
            "padding in the middle",
            { attachments: [{ content: "aA==aA==" }] },
            "attachments[0].content",
            "invalid_base64",
          ],
          ["what is no base64", { attachments: [{}, { content: "a*==" }] }, "attachments[1].content", "invalid_base64"],
          ["996 attachments", { attachments: Array.from({ length: 996 }, () => ({})) }, "attachments", "too_many"],
          [
            "10,000 attachments",
            { attachments: Array.from({ length: 10_000 }, () => ({ fileName: "x" })) },
            "attachments",
            "too_many",
          ],
        ] as [string, object, string, string][])
      : []),
  ];
  test.each(wrongFields)(
    "responds 400 and names the field, without storing anything: %s",
    async (_name, fields, ...[field, code]) => {
      const before = await countAll();
      const reply = await ask(endpoint, fields);
      expect(reply.statusCode).toBe(400);
      const error = reply.json<WireError>();
      expect(Object.keys(error)).toEqual(["type", "status", "message", "errors"]);
      expect(error).toMatchObject({ type: "ValidationError", status: 400, errors: [{ field, detail: [{ code }] }] });
      expect(await countAll()).toBe(before);
    },
  );

  test.each<[string, Ask, number, string]>([
    ["no key", { key: null }, 401, "Unauthenticated"],
    ["a wrong key", { key: "wrong-key" }, 401, "Unauthenticated"],
    ["text that is no JSON", { body: '{"to":', headers: json }, 400, "ValidationError"],
    ["JSON that is no object", { body: "[]", headers: json }, 400, "ValidationError"],
    ["invalid UTF-8", { body: Buffer.from('{"text":"\xff"}', "latin1"), headers: json }, 400, "ValidationError"],
    [
      "a form",
      { body: "to=x", headers: { "content-type": "application/x-www-form-urlencoded" } },
      415,
      "UnsupportedMediaType",
    ],
    [
      "a declared length of 76 MiB",
      { body: "{}", headers: { ...json, "content-length": String(76 * 1024 ** 2) } },
      413,
      "PayloadTooLarge",
    ],
  ])("rejects %s without storing anything", async (_name, request, ...[status, type]) => {
    const before = await countAll();
    const reply = await ask(endpoint, {}, request);
    expect([reply.statusCode, reply.json<WireError>().type]).toEqual([status, type]);
    expect(await countAll()).toBe(before);
  });

  test("responds 404 to another server's key and for malformed ids, and 405 for another method", async () => {
    expect((await ask(endpoint, {}, { key: other.key })).statusCode).toBe(404);
    const line = lineOf(endpoint).replace(endpoint === "create" ? server.id : original, "no-id");
    expect((await api.ask(line, { body: good[endpoint] })).statusCode).toBe(404);
    const reply = await api.ask(lineOf(endpoint).replace("POST", "PUT"), { body: good[endpoint] });
    expect([reply.statusCode, reply.headers["allow"]?.toString().includes("POST")]).toEqual([405, true]);
  });

  test("responds 400 without a relay, naming the setting, and 413 beyond the size of a mail", async () => {
    await using lonely = await openHttpTestServer({ settings: { hasRelay: false }, limits: { messageBytesMax: 2000 } });
    const own = await lonely.addServer();
    const id = await lonely.deliver(own, { from: to });
    const line = endpoint === "create" ? `POST /api/messages?server=${own.id}` : `POST /api/messages/${id}/${endpoint}`;
    const rejected = await lonely.ask(line, { body: good[endpoint] });
    expect([rejected.statusCode, rejected.body.includes("RESTANTE_RELAY_URL")]).toEqual([400, true]);
    const inside = await lonely.deliver(own, { from: `app@${own.id}.restante.test` });
    const to_ = { ...good[endpoint], ...(endpoint !== "reply" && { to: `x@${own.id}.restante.test` }) };
    const insideLine = line.replace(id, inside);
    expect((await lonely.ask(insideLine, { body: { ...to_, text: "x".repeat(2000) } })).statusCode).toBe(413);
    expect((await lonely.ask(insideLine, { body: to_ })).statusCode).toBe(200);
  });
});

const hostileNames = [
  "../../etc/passwd",
  "..\\..\\boot.ini",
  "/absolute/path",
  'quo"te\r\nX-Evil: 1',
  "nul\u0000byte.txt",
  "line\u2028separator",
  "a".repeat(1000),
  "日本 – é.pdf",
  "",
];

describe("attachment names with paths, line ends and NUL", () => {
  test.each(["create", "reply"] as const)("stay names without effect: %s", async (endpoint) => {
    const attachments = hostileNames.map((fileName) => ({ fileName, contentType: "text/plain", content: "aGk=" }));
    const message = (await ask(endpoint, { attachments })).json<Message>();
    await expectHarmless(message, hostileNames.length);
  });

  test("stay names without effect: forward", async () => {
    const named = hostileNames.map((name) =>
      [
        "--b",
        "Content-Type: text/plain",
        `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(name)}`,
        "",
        "hi",
        "",
      ].join("\r\n"),
    );
    const head = `From: ${to}\r\nSubject: Files\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`;
    const id = await api.deliver(server, { raw: `${head}${named.join("")}--b--\r\n` });
    const passed = await api.ask(`POST /api/messages/${id}/forward`, { body: good.forward });
    await expectHarmless(passed.json<Message>(), hostileNames.length);
  });

  test.each(["Content-ID", "Content-Type"])("add no header field as %s", async (kind) => {
    const evil = "x>\r\nX-Evil: 1";
    const file = kind === "Content-ID" ? { contentId: evil } : { contentType: `text/plain\r\nX-Evil: 1` };
    const reply = await ask("create", { html: "<p>x</p>", attachments: [{ fileName: "x", content: "aGk=", ...file }] });
    if (reply.statusCode === 200) await expectHarmless(reply.json<Message>(), 1);
    else expect(reply.statusCode).toBe(400);
  });

  /** Expects no foreign header field, every file whole, and every address to belong to the test. */
  async function expectHarmless(message: Message, count: number): Promise<void> {
    expect(message.attachments).toHaveLength(count);
    for (const { url, fileName } of message.attachments) {
      expect(new URL(url).pathname).toMatch(/^\/api\/files\/attachments\/[0-9a-f-]{36}$/);
      expect(fileName).not.toMatch(/[\r\n\0]/);
      const file = await api.ask(`GET ${new URL(url).pathname}`);
      expect(file.body.trim()).toBe("hi");
      expect(file.headers["content-disposition"]).toMatch(/^attachment(?:;|$)/);
    }
    const raw = (await api.ask(`GET /api/files/email/${message.id}`)).rawPayload;
    expect(raw.toString("latin1")).not.toMatch(/^X-Evil/im);
    const parsed = await simpleParser(raw, {});
    expect(parsed.subject).toBe(message.subject);
    expect(parsed.attachments).toHaveLength(count);
    expect(parsed.attachments.map(({ content }) => content.toString().trim())).toEqual(
      Array.from({ length: count }, () => "hi"),
    );
  }
});
