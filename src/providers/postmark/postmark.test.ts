import { describe, expect, test } from "vitest";
import { Errors } from "postmark";
import { ErrorHandler } from "postmark/dist/client/errors/ErrorHandler.js";
import { Problem } from "../../core/errors.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { sampleEvent, sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import type { EmailDraft } from "../email.ts";
import { readForm } from "../../core/read-form.ts";
import type { ProviderResponse } from "../provider.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import {
  memoryServices,
  startInstant,
  validKey,
  type KeptEmail,
  type MemoryServices,
} from "../conformance/services.test-aid.ts";
import { postmark } from "./provider.ts";
import { apiRequest } from "./samples.test-aid.ts";

type Members = Readonly<Record<string, unknown>>;
const valid = { From: "Shöp <app@shop.example>", To: "Ann <a@x.example>", Subject: "Hi", TextBody: "Hello" };

async function call(memory: MemoryServices, line: string, body: unknown = {}): Promise<ProviderResponse> {
  const [method = "", target = ""] = line.split(" ");
  const [path = "", query = ""] = target.split("?");
  const request = { ...apiRequest(`${method} ${path}`, body, validKey), fields: readForm(query) };
  return callEndpoint(postmark, request, memory.services);
}

async function send(changes: Members, memory: MemoryServices = memoryServices()) {
  return { response: await call(memory, "POST /email", { ...valid, ...changes }), memory };
}

function draftOf(email: KeptEmail | undefined): EmailDraft {
  if (email === undefined || email.content instanceof Uint8Array) throw new Error("no draft");
  return email.content;
}

describe("sending", () => {
  test("responds with the documented members and the UUID as MessageID", async () => {
    const { response, memory } = await send({ Cc: "c@x.example", ReplyTo: "r@x.example, s@x.example", Tag: "welcome" });
    const [email] = memory.emails;
    expect(response.status).toBe(200);
    expect(jsonOf(response)).toEqual({
      To: valid.To,
      Cc: "c@x.example",
      SubmittedAt: "2026-11-20T10:42:07.0000000Z",
      MessageID: email?.uuid,
      ErrorCode: 0,
      Message: "OK",
    });
    expect(email).toMatchObject({ messageId: `<${email?.uuid ?? ""}@mtasv.net>`, mailFrom: "app@shop.example" });
    expect(draftOf(email)).toMatchObject({
      from: { name: "Shöp", address: "app@shop.example" },
      replyTo: [{ address: "r@x.example" }, { address: "s@x.example" }],
    });
  });

  test("reads names of members regardless of letter case, null and empty values as absent, and [] as no metadata", async () => {
    const { From, To } = valid;
    const body = { from: From, TO: To, subject: "Hi", htmlBody: "<b>x</b>", Cc: "", Tag: null, Metadata: [] };
    const memory = memoryServices();
    expect((await call(memory, "POST /email", body)).status).toBe(200);
    expect(draftOf(memory.emails[0])).toMatchObject({ html: "<b>x</b>", text: null, cc: [] });
    expect(memory.emails[0]?.facts).toEqual({ tags: [], metadata: {}, template: null });
  });

  test("keeps the Message-ID of the application with X-PM-KeepID", async () => {
    const Headers = [
      { Name: "X-PM-KeepID", Value: "true" },
      { Name: "Message-ID", Value: "<own@shop.example>" },
    ];
    expect((await send({ Headers })).memory.emails[0]?.messageId).toBeNull();
  });

  test("accepts the test token without an account, and stores nothing", async () => {
    const memory = memoryServices();
    const test = async (body: unknown) =>
      callEndpoint(postmark, apiRequest("POST /email", body, "POSTMARK_API_TEST"), memory.services);
    expect(jsonOf(await test(valid))).toMatchObject({ ErrorCode: 0, Message: "Test job accepted" });
    expect((await test({ ...valid, To: "nobody" })).status).toBe(422);
    expect(memory.emails).toEqual([]);
  });

  test("writes a stream other than the default one into a header field", async () => {
    const { memory } = await send({ MessageStream: "broadcast" });
    expect(draftOf(memory.emails[0]).headers).toEqual([["X-PM-Message-Stream", "broadcast"]]);
  });
});

describe("errors", () => {
  const inactive = "ManuallyDeactivated@bounce-testing.postmarkapp.com";
  const file = (Name: string): Members => ({ Attachments: [{ Name, Content: "YQ==", ContentType: "text/plain" }] });
  test.each<[Members, number, RegExp]>([
    [{ From: "test" }, 300, /^Invalid 'From' address: 'test'\.$/],
    [{ To: "a@x.example, nope" }, 300, /^Invalid 'To' address: 'a@x\.example, nope'\.$/],
    [{ Bcc: "nope" }, 300, /^Invalid 'Bcc' address/],
    [{ TextBody: "" }, 300, /^Provide either email TextBody or HtmlBody or both\.$/],
    [{ Tag: "x".repeat(1001) }, 300, /^Tag/],
    [{ Subject: "x".repeat(2001) }, 300, /^Subject/],
    [{ Metadata: { ["k".repeat(21)]: "v" } }, 300, /20 characters/],
    [{ Metadata: { k: "v".repeat(81) } }, 300, /80 characters/],
    [{ Metadata: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`k${at}`, "v"])) }, 300, /10 fields/],
    [{ Metadata: { n: 1 } }, 403, /^Invalid request field\(s\): 'Metadata'\.$/],
    [{ Subject: 5 }, 403, /'Subject'/],
    [{ TrackOpens: "true" }, 403, /'TrackOpens'/],
    [{ TrackLinks: "Sometimes" }, 403, /'TrackLinks'/],
    [{ Headers: { Name: "X" } }, 403, /'Headers'/],
    [
      { MessageStream: "no such stream" },
      1235,
      /^The stream provided: 'no such stream' does not exist on this server\.$/,
    ],
    [{ MessageStream: "inbound" }, 1236, /inbound/],
    [file("run.EXE"), 411, /^Attachment file type not allowed\.$/],
    [
      { To: inactive },
      406,
      /Found inactive addresses: manuallydeactivated@bounce-testing\.postmarkapp\.com\. Inactive/,
    ],
  ])("rejects %j with %i", async (changes, code, message) => {
    const { response, memory } = await send(changes);
    expect([response.status, response.headers?.["X-PM-ApiErrorCode"]]).toEqual([422, String(code)]);
    expect(jsonOf(response)).toEqual({ ErrorCode: code, Message: expect.stringMatching(message) as string });
    expect(memory.emails).toEqual([]);
  });

  test("leaves out inactive recipients beside active ones, and names them", async () => {
    const { response, memory } = await send({ Bcc: inactive });
    expect(jsonOf(response)).toMatchObject({
      ErrorCode: 0,
      Message: expect.stringMatching(
        /^Message OK, but will not deliver to these inactive addresses: manuallydeactivated@/,
      ) as string,
    });
    expect(memory.emails[0]?.recipients).toEqual(["a@x.example"]);
  });

  test("rejects more than 10 MB of one message", async () => {
    const { response, memory } = await send({ TextBody: "x".repeat(10 * 1024 * 1024 + 1) });
    expect([response.status, memory.emails.length]).toEqual([413, 0]);
  });

  test("responds to missing and wrong tokens, media types and paths", async () => {
    const { services } = memoryServices();
    const status = async (line: string, changes: object) => {
      const response = await callEndpoint(postmark, { ...apiRequest(line, valid, validKey), ...changes }, services);
      return [response.status, jsonOf(response)["ErrorCode"]];
    };
    expect(await status("POST /email", { key: null, headers: { "content-type": "application/json" } })).toEqual([
      401, 10,
    ]);
    expect(await status("POST /email", { key: "wrong" })).toEqual([401, 10]);
    expect(await status("POST /email", { headers: { "content-type": "text/plain" } })).toEqual([422, 409]);
    expect(await status("GET /nowhere", {})).toEqual([404, 0]);
  });

  test("writes errors of the service in Postmark's shape", () => {
    const failure = postmark.errorResponse(new Problem("internal"), { method: "POST", path: "/email", headers: {} });
    expect(jsonOf(failure)).toEqual({ ErrorCode: 0, Message: "Internal Server Error" });
  });

  test("become the typed errors of the library", async () => {
    const typed = async (changes: Members): Promise<Error> => {
      const { response } = await send(changes);
      const { Message, ErrorCode } = jsonOf(response) as { readonly Message: string; readonly ErrorCode: number };
      return new ErrorHandler().buildError(Message, ErrorCode, response.status);
    };
    expect(await typed({ To: "nobody" })).toBeInstanceOf(Errors.InvalidEmailRequestError);
    const error = await typed({ To: `${inactive}, manually_deactivated@bounce-testing.postmarkapp.com` });
    expect(error).toBeInstanceOf(Errors.InactiveRecipientsError);
    expect(error).toMatchObject({
      recipients: [inactive.toLowerCase(), "manually_deactivated@bounce-testing.postmarkapp.com"],
    });
  });
});

describe("batches", () => {
  test("accept or reject each message by itself", async () => {
    const memory = memoryServices();
    const response = await call(memory, "POST /email/batch", [valid, { ...valid, To: "nobody" }, "x", valid]);
    const bodies = JSON.parse(response.body?.text ?? "[]") as readonly Members[];
    expect([response.status, bodies.map(({ ErrorCode }) => ErrorCode)]).toEqual([200, [0, 300, 403, 0]]);
    expect([bodies[0]?.["MessageID"], bodies[3]?.["MessageID"]]).toEqual(memory.emails.map(({ uuid }) => uuid));
  });

  test("accept 500 messages and no more", async () => {
    const memory = memoryServices();
    const mails = (length: number): readonly unknown[] => Array.from({ length }, () => valid);
    expect(jsonOf(await call(memory, "POST /email/batch", mails(501)))).toEqual({
      ErrorCode: 410,
      Message: "You may only send up to 500 messages in a single batched request.",
    });
    expect(memory.emails).toEqual([]);
    expect((await call(memory, "POST /email/batch", mails(500))).status).toBe(200);
    expect(memory.emails).toHaveLength(500);
  });
});

describe("sent messages", () => {
  const search = async (memory: MemoryServices, query: string): Promise<readonly unknown[]> => {
    const { Messages, TotalCount } = jsonOf(await call(memory, `GET /messages/outbound?${query}`)) as {
      readonly Messages: readonly Members[];
      readonly TotalCount: number;
    };
    return [TotalCount, ...Messages.map(({ Subject }) => Subject)];
  };

  test("are searched by tag, recipient, subject and metadata, in pages", async () => {
    const memory = memoryServices();
    for (const [Subject, Tag, user] of [
      ["One", "a", "1"],
      ["Two", "b", "2"],
      ["Three", "a", "2"],
    ]) {
      await send({ Subject, Tag, Metadata: { User: user } }, memory);
    }
    expect(await search(memory, "count=2&offset=0")).toEqual([3, "Three", "Two"]);
    expect(await search(memory, "count=2&offset=2")).toEqual([3, "One"]);
    expect(await search(memory, "count=9&offset=0&tag=a")).toEqual([2, "Three", "One"]);
    expect(await search(memory, "count=9&offset=0&metadata_user=2")).toEqual([2, "Three", "Two"]);
    expect(await search(memory, "count=9&offset=0&subject=tw")).toEqual([1, "Two"]);
    expect(await search(memory, "count=9&offset=0&messagestream=broadcast")).toEqual([0]);
    expect(jsonOf(await call(memory, "GET /messages/outbound?count=501&offset=0"))).toMatchObject({ ErrorCode: 700 });
    expect(jsonOf(await call(memory, "GET /messages/outbound?todate=soon"))).toMatchObject({ ErrorCode: 700 });
  });

  test("have details and a dump; unknown ones are errors", async () => {
    const memory = memoryServices();
    const { MessageID } = jsonOf((await send({ Metadata: { user: "42" } }, memory)).response);
    const path = `/messages/outbound/${String(MessageID)}`;
    expect(jsonOf(await call(memory, `GET ${path}/details`))).toMatchObject({
      MessageID,
      From: '"Shöp" <app@shop.example>',
      To: [{ Email: "a@x.example", Name: "Ann" }],
      Recipients: ["a@x.example"],
      TextBody: "Hello",
      Body: "Subject: Hi\r\n\r\n",
      Status: "Sent",
      MessageStream: "outbound",
      Metadata: { user: "42" },
      ReceivedAt: new Date(startInstant).toISOString().replace("Z", "0000Z"),
      MessageEvents: [{ Recipient: "a@x.example", Type: "Delivered" }],
    });
    expect(jsonOf(await call(memory, `GET ${path}/dump`))).toEqual({ Body: "Subject: Hi\r\n\r\n" });
    const missing = await call(memory, "GET /messages/outbound/unknown/details");
    expect([missing.status, jsonOf(missing)["ErrorCode"]]).toEqual([422, 701]);
  });

  test("have no bounces, opens and clicks", async () => {
    const memory = memoryServices();
    expect(jsonOf(await call(memory, "GET /bounces"))).toEqual({ TotalCount: 0, Bounces: [] });
    expect(jsonOf(await call(memory, "GET /bounces/1"))).toMatchObject({ ErrorCode: 1001 });
    expect(jsonOf(await call(memory, "GET /messages/outbound/opens"))).toEqual({ TotalCount: 0, Opens: [] });
    expect(jsonOf(await call(memory, "GET /message-streams/outbound"))).toMatchObject({ ID: "outbound" });
    expect(jsonOf(await call(memory, "GET /message-streams/nope"))).toMatchObject({ ErrorCode: 1226 });
    expect(jsonOf(await call(memory, "GET /server"))).toMatchObject({ ID: 1, DeliveryType: "Live" });
  });
});

describe("suppressions", () => {
  const path = "/message-streams/outbound/suppressions";
  const list = { Suppressions: [{ EmailAddress: "A@x.example" }, { EmailAddress: "nobody" }] };

  test("make an address inactive in their stream until they are deleted", async () => {
    const memory = memoryServices();
    expect(jsonOf(await call(memory, `POST ${path}`, list))).toEqual({
      Suppressions: [
        { EmailAddress: "a@x.example", Status: "Suppressed", Message: null },
        { EmailAddress: "nobody", Status: "Failed", Message: expect.any(String) as string },
      ],
    });
    expect(jsonOf(await call(memory, `GET ${path}/dump`))).toEqual({
      Suppressions: [
        {
          EmailAddress: "a@x.example",
          SuppressionReason: "ManualSuppression",
          Origin: "Customer",
          CreatedAt: "2026-11-20T10:42:07.0000000Z",
        },
      ],
    });
    expect(jsonOf(await call(memory, `GET ${path}/dump?EmailAddress=b@x.example`))).toEqual({ Suppressions: [] });
    expect(jsonOf((await send({}, memory)).response)).toMatchObject({ ErrorCode: 406 });
    expect(jsonOf((await send({ MessageStream: "broadcast" }, memory)).response)).toMatchObject({ ErrorCode: 0 });
    const deleted = await call(memory, `POST ${path}/delete`, { Suppressions: [{ EmailAddress: "a@x.example" }] });
    expect(jsonOf(deleted)).toMatchObject({ Suppressions: [{ Status: "Deleted" }] });
    expect(jsonOf((await send({}, memory)).response)).toMatchObject({ ErrorCode: 0 });
  });

  test("are rejected for unknown streams and more than 50 addresses", async () => {
    const memory = memoryServices();
    const unknown = await call(memory, "POST /message-streams/nope/suppressions", list);
    expect(jsonOf(unknown)).toMatchObject({ ErrorCode: 1226 });
    const many = { Suppressions: Array.from({ length: 51 }, () => ({ EmailAddress: "a@x.example" })) };
    expect(jsonOf(await call(memory, `POST ${path}`, many))).toMatchObject({ ErrorCode: 403 });
  });
});

describe("addresses for test bounces", () => {
  test.each([
    ["HardBounce", ["bounced"], { Type: "HardBounce", TypeCode: 1, Inactive: true }],
    ["hard_bounce", ["bounced"], { Type: "HardBounce", TypeCode: 1, Inactive: true }],
    ["SoftBounce", ["bounced"], { Type: "SoftBounce", TypeCode: 4096, Inactive: false }],
    ["Blocked", ["bounced"], { Type: "Blocked", TypeCode: 100006, Inactive: false }],
    ["AutoResponder", ["bounced"], { Type: "AutoResponder", TypeCode: 64, Inactive: false }],
    ["Transient", ["deferred"], { Type: "Transient", TypeCode: 2, Inactive: false }],
    ["SpamComplaint", ["delivered", "complained"], { RecordType: "SpamComplaint", TypeCode: 100001, Inactive: true }],
    ["anything", ["bounced"], { Type: "HardBounce", TypeCode: 1, Inactive: true }],
  ])("%s causes %j with %j", async (name, types, members) => {
    const webhooks = await postmark.loadEvents?.();
    const recipient = `${name}@bounce-testing.postmarkapp.com`;
    expect(jsonOf((await send({ To: recipient })).response)).toMatchObject({ ErrorCode: 0 });
    const outcome = webhooks?.outcomeOf?.(recipient) ?? [];
    expect(outcome.map(({ type }) => type)).toEqual(types);
    const event = sampleEvent(outcome.at(-1)?.type ?? "delivered", {
      recipient,
      details: outcome.at(-1)?.details ?? {},
    });
    const body = webhooks?.render([event], sampleSigning({})).body ?? new Uint8Array();
    expect(JSON.parse(Buffer.from(body).toString("utf8"))).toMatchObject(members);
  });
});
