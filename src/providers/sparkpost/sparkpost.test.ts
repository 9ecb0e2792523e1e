import { describe, expect, test } from "vitest";
import type { CallbackSecrets } from "../callbacks.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import {
  sampleEvent,
  sampleEventMail,
  sampleInboundMail,
  sampleSigning,
} from "../conformance/callback-samples.test-aid.ts";
import { jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, startInstant, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import type { EmailDraft } from "../email.ts";
import { sparkPostEvents, sparkPostInboundShape } from "./event-webhook.ts";
import { sparkpost } from "./provider.ts";

interface Answer {
  readonly status: number;
  readonly value: unknown;
}

async function call(memory: MemoryServices, line: string, value?: object): Promise<Answer> {
  const [method = "", target = ""] = line.split(" ");
  const [path = "", query = ""] = target.split("?");
  const body = value === undefined ? { body: new Uint8Array() } : {};
  const request = jsonRequest(value, {
    method: method as "GET",
    path: `/api/v1${path}`,
    fields: [...new URLSearchParams(query)],
    key: validKey,
    ...body,
  });
  const { status, body: answer } = await callEndpoint(sparkpost, request, memory.services);
  return { status, value: answer === null ? null : (JSON.parse(answer.text ?? "null") as unknown) };
}

const content = { from: "Shop <app@shop.example>", subject: "Hello", text: "Hi" };
const zoe = { address: { email: "zoe@shop.example", name: "Zoë" } };
const ada = { address: "ada@shop.example" };

async function send(memory: MemoryServices, changes: object = {}): Promise<unknown> {
  const { value } = await call(memory, "POST /transmissions", { recipients: [zoe, ada], content, ...changes });
  return value;
}

function drafts({ emails }: MemoryServices): readonly EmailDraft[] {
  return emails.map((one) => one.content as EmailDraft);
}

describe("POST /transmissions", () => {
  test("sends a mail of its own to each recipient, and responds with the id of the first", async () => {
    const memory = memoryServices();
    const id = memory.emails[0]?.providerId;
    expect(id).toBeUndefined();
    const results = { total_rejected_recipients: 0, total_accepted_recipients: 2 };
    expect(await send(memory)).toEqual({ results: { ...results, id: memory.emails[0]?.providerId } });
    expect(memory.emails[0]?.providerId).toMatch(/^\d{30,39}$/);
    expect(drafts(memory)).toMatchObject([
      { from: { name: "Shop", address: "app@shop.example" }, to: [{ name: "Zoë", address: "zoe@shop.example" }] },
      { to: [{ name: "", address: "ada@shop.example" }], cc: [], bcc: [] },
    ]);
  });

  test("sends one mail to recipients with the same To field, in which the header fields name the copies", async () => {
    const memory = memoryServices();
    const header_to = "Zoë <zoe@shop.example>";
    const copy = (email: string): object => ({ address: { email, header_to } });
    const recipients = [zoe, copy("cc@shop.example"), copy("bcc@shop.example")];
    await send(memory, {
      recipients,
      content: { ...content, headers: { CC: "Copy <cc@shop.example>", "X-Order": "7" } },
    });
    expect(drafts(memory)).toMatchObject([
      {
        to: [{ name: "Zoë", address: "zoe@shop.example" }],
        cc: [{ name: "Copy", address: "cc@shop.example" }],
        bcc: [{ address: "bcc@shop.example" }],
        headers: [["X-Order", "7"]],
      },
    ]);
    expect(memory.emails[0]?.recipients).toEqual(["zoe@shop.example", "cc@shop.example", "bcc@shop.example"]);
  });

  test("substitutes data and metadata, those of the recipient before those of the transmission", async () => {
    const memory = memoryServices();
    const recipients = [{ ...zoe, substitution_data: { name: "Zoë" }, metadata: { plan: "pro" }, tags: ["a"] }];
    await send(memory, {
      recipients,
      content: { ...content, from: { email: "{{box}}@shop.example" }, headers: { "X-Name": "{{name}}" } },
      substitution_data: { name: "you", box: "app" },
      metadata: { plan: "free", order: 7 },
    });
    expect(memory.templateJobs).toEqual([
      {
        language: "substitutions",
        sources: {
          fromName: "",
          fromAddress: "{{box}}@shop.example",
          subject: "Hello",
          text: "Hi",
          "header 0 X-Name": "{{name}}",
        },
        data: { address: { email: "zoe@shop.example", name: "Zoë" }, plan: "pro", order: 7, name: "Zoë", box: "app" },
      },
    ]);
  });

  test("stores metadata, tags and the campaign, and uses the return path", async () => {
    const memory = memoryServices();
    const recipients = [{ ...zoe, metadata: { plan: "pro" }, tags: ["a", "b"] }];
    const more = { campaign_id: "spring", return_path: "bounces@shop.example", metadata: { order: 7 } };
    await send(memory, { recipients, ...more });
    expect(memory.emails).toMatchObject([
      { mailFrom: "bounces@shop.example", facts: { tags: ["a", "b"], metadata: { order: "7", plan: "pro" } } },
    ]);
    expect(drafts(memory)[0]?.headers).toEqual([["X-MSYS-API", '{"campaign_id":"spring"}']]);
    expect(memory.templateJobs).toEqual([]);
  });

  test("stores a whole mail as it is, once for all recipients", async () => {
    const memory = memoryServices();
    const email_rfc822 = "From: app@shop.example\r\nSubject: Raw\r\n\r\nHi\r\n";
    await send(memory, { content: { email_rfc822 } });
    expect(memory.emails).toMatchObject([
      { mailFrom: "app@shop.example", recipients: ["zoe@shop.example", "ada@shop.example"], messageId: null },
    ]);
    expect(Buffer.from(memory.emails[0]?.content as Uint8Array).toString()).toBe(email_rfc822);
    const without = await call(memory, "POST /transmissions", { recipients: [zoe], content: { email_rfc822: "\r\n" } });
    expect(without).toMatchObject({ status: 422, value: { errors: [{ code: "1400" }] } });
  });

  test("counts invalid recipients as rejected, and suppressed ones as accepted without a mail", async () => {
    const memory = memoryServices();
    await call(memory, "PUT /suppression-list/ZOE@shop.example", { type: "transactional" });
    const recipients = [zoe, ada, { address: "x" }];
    expect(await send(memory, { recipients })).toMatchObject({
      results: { total_rejected_recipients: 1, total_accepted_recipients: 2 },
    });
    expect(memory.emails.map((one) => one.recipients)).toEqual([["ada@shop.example"]]);
    await send(memory, { recipients: [zoe], options: { transactional: false } });
    await send(memory, { recipients: [zoe], options: { skip_suppression: true } });
    expect(memory.emails).toHaveLength(3);
    expect(await send(memory, { recipients: [zoe] })).toMatchObject({ results: { total_accepted_recipients: 1 } });
    expect(memory.emails).toHaveLength(3);
  });

  test("rejects a request whose mails are too large together", async () => {
    const memory = memoryServices();
    const recipients = Array.from({ length: 100 }, (_none, at) => ({ address: `a${String(at)}@b.example` }));
    const attachments = [{ name: "a", type: "a/b", data: Buffer.alloc(600_000).toString("base64") }];
    expect(await send(memory, { recipients, content: { ...content, attachments } })).toMatchObject({
      errors: [{ code: "1300" }],
    });
    expect(memory.emails).toEqual([]);
  });
});

describe("scheduled transmissions", () => {
  const later = { options: { start_time: "2026-12-01T10:00:00+02:00" } };

  test("are listed by campaign, shown and cancelled with all of their mails", async () => {
    const memory = memoryServices();
    const { results } = (await send(memory, { ...later, campaign_id: "spring" })) as { results: { id: string } };
    await send(memory, later);
    const shown = { id: results.id, state: "submitted", campaign_id: "spring" };
    expect((await call(memory, "GET /transmissions?campaign_id=spring")).value).toMatchObject({ results: [shown] });
    expect((await call(memory, "GET /transmissions")).value).toMatchObject({ results: [{}, {}] });
    expect((await call(memory, `GET /transmissions/${results.id}`)).value).toMatchObject({
      results: { transmission: { ...shown, options: { start_time: "2026-12-01T08:00:00.000Z" } } },
    });
    expect(await call(memory, `DELETE /transmissions/${results.id}`)).toEqual({ status: 204, value: null });
    expect(memory.emails).toHaveLength(2);
    expect(await call(memory, `DELETE /transmissions/${results.id}`)).toMatchObject({
      status: 404,
      value: { errors: [{ message: "resource not found", code: "1600" }] },
    });
  });

  test("are cancelled by campaign", async () => {
    const memory = memoryServices();
    await send(memory, { ...later, campaign_id: "spring" });
    await send(memory, { ...later, campaign_id: "autumn" });
    expect(await call(memory, "DELETE /transmissions?campaign_id=spring")).toEqual({ status: 204, value: null });
    expect(memory.emails).toHaveLength(2);
    expect(await call(memory, "DELETE /transmissions")).toMatchObject({ status: 422 });
  });
});

describe("templates", () => {
  const template = { id: "welcome", name: "Welcome", content: { ...content, html: "<p>{{name}}</p>" } };

  test("are drafted, previewed, published, used, changed, listed and removed", async () => {
    const memory = memoryServices();
    expect((await call(memory, "POST /templates", template)).value).toEqual({ results: { id: "welcome" } });
    const use = { recipients: [zoe], content: { template_id: "welcome" } };
    expect(await send(memory, use)).toMatchObject({ errors: [{ code: "2005" }] });
    expect(await send(memory, { ...use, content: { ...use.content, use_draft_template: true } })).toHaveProperty(
      "results",
    );
    expect(
      (await call(memory, "POST /templates/welcome/preview", { substitution_data: { name: "Zoë" } })).value,
    ).toMatchObject({
      results: { from: { email: "app@shop.example" }, html: '<p>{{name}}</p>|{"name":"Zoë"}' },
    });
    await call(memory, "PUT /templates/welcome", { published: true });
    await send(memory, use);
    await call(memory, "PUT /templates/welcome", { content: { subject: "Draft" }, name: "New" });
    await send(memory, use);
    expect(drafts(memory).map(({ subject }) => subject.split("|")[0])).toEqual(["Hello", "Hello", "Hello"]);
    const shown = async (query: string): Promise<unknown> =>
      (await call(memory, `GET /templates/welcome${query}`)).value;
    expect(await shown("")).toMatchObject({
      results: { name: "New", published: false, content: { subject: "Draft" } },
    });
    expect(await shown("?draft=false")).toMatchObject({ results: { published: true, content: { subject: "Hello" } } });
    await call(memory, "PUT /templates/welcome?update_published=true", { content: { text: "Now" } });
    expect(await shown("")).toMatchObject({ results: { published: true, content: { subject: "Draft", text: "Now" } } });
    expect(await call(memory, "GET /templates/welcome?draft=true")).toMatchObject({ status: 422 });
    expect((await call(memory, "GET /templates")).value).toMatchObject({
      results: [{ id: "welcome", has_draft: false, has_published: true }],
    });
    expect(await call(memory, "DELETE /templates/welcome")).toEqual({ status: 200, value: {} });
    expect(await call(memory, "GET /templates/welcome")).toMatchObject({ status: 404 });
  });

  test.each([
    ["POST /templates", template, 400, "3030"],
    ["POST /templates", { ...template, id: "a b" }, 422, "1300"],
    ["POST /templates", { id: "other" }, 422, "1400"],
    ["POST /templates", { id: "other", content: { ...content, from: "x" } }, 422, "1300"],
    ["PUT /templates/none", {}, 404, "1600"],
    ["POST /templates/none/preview", {}, 404, "1600"],
  ])("%s with %j is rejected with %d", async (...[line, value, status, code]) => {
    const memory = memoryServices();
    await call(memory, "POST /templates", template);
    expect(await call(memory, line, value)).toMatchObject({ status, value: { errors: [{ code }] } });
  });
});

test("the suppression list has an entry for each address and type", async () => {
  const memory = memoryServices();
  const entries = [
    { recipient: "zoe@shop.example", type: "transactional", description: "left" },
    { recipient: "ada@shop.example", transactional: true, non_transactional: true },
  ];
  expect(await call(memory, "PUT /suppression-list", { recipients: entries })).toMatchObject({ status: 200 });
  const { value } = await call(memory, "GET /suppression-list/zoe@shop.example");
  expect(value).toMatchObject({
    results: [{ recipient: "zoe@shop.example", type: "transactional", transactional: true, description: "left" }],
    total_count: 1,
  });
  expect((await call(memory, "GET /suppression-list")).value).toMatchObject({ total_count: 3 });
  expect((await call(memory, "GET /suppression-list?types=non_transactional")).value).toMatchObject({ total_count: 1 });
  await call(memory, "DELETE /suppression-list/ada@shop.example", { type: "transactional" });
  expect((await call(memory, "GET /suppression-list/ada@shop.example")).value).toMatchObject({ total_count: 1 });
  expect(await call(memory, "DELETE /suppression-list/zoe@shop.example")).toEqual({ status: 204, value: null });
  expect(await call(memory, "GET /suppression-list/zoe@shop.example")).toMatchObject({ status: 404 });
  expect(await call(memory, "PUT /suppression-list/x", { type: "transactional" })).toMatchObject({ status: 422 });
  expect(await call(memory, "PUT /suppression-list/a@b.example", {})).toMatchObject({ status: 422 });
  expect(await call(memory, "PUT /suppression-list", { recipients: [] })).toMatchObject({ status: 422 });
});

describe.each(["webhooks", "relay-webhooks"])("%s", (path) => {
  const values = { name: "Hook", target: "https://app.example/hook", events: ["delivery"], auth_token: "token" };
  const registered = async (): Promise<{ readonly memory: MemoryServices; readonly one: string }> => {
    const memory = memoryServices();
    const { value } = await call(memory, `POST /${path}`, { ...values, match: { domain: "app.example" } });
    return { memory, one: `/${path}/${(value as { results: { id: string } }).results.id}` };
  };

  test("are tested with an empty event before they are registered, and with a message on request", async () => {
    const { memory, one } = await registered();
    const headers = { "content-type": "text/plain" };
    memory.subscriptions.answer = () => ({ status: 200, headers, body: Buffer.from("OK") });
    const message = { msys: { message_event: { type: "delivery" } } };
    expect((await call(memory, `POST ${one}/validate`, { message })).value).toEqual({
      results: { msg: "Test POST to endpoint succeeded", response: { status: 200, headers, body: "OK" } },
    });
    const { sent } = memory.subscriptions;
    expect(sent.map(({ request }) => JSON.parse(Buffer.from(request.body).toString()) as unknown)).toEqual([
      [{ msys: {} }],
      [message],
    ]);
    const token = { "x-messagesystems-webhook-token": "token" };
    expect(sent.map(({ url, request }) => [url, request.headers])).toMatchObject([
      [values.target, token],
      [values.target, token],
    ]);
  });

  test("report why a target does not accept a test", async () => {
    const { memory, one } = await registered();
    memory.subscriptions.answer = () => ({ status: 500, headers: {}, body: Buffer.alloc(0) });
    expect(await call(memory, `POST ${one}/validate`, {})).toMatchObject({
      status: 400,
      value: { errors: [{ description: "Test POST to endpoint failed with code 500" }] },
    });
    expect(await call(memory, `POST /${path}/none/validate`, {})).toMatchObject({ status: 404 });
  });

  test("list the batches of the last day that failed at least once", async () => {
    const { memory, one } = await registered();
    const attempt = (batch: string, secondsAgo: number, status: number | null) => {
      const headers = { "x-messagesystems-batch-id": batch };
      memory.webhooks.attempts.push({
        at: startInstant - secondsAgo * 1000,
        headers,
        status,
        isFailed: status !== 200,
      });
    };
    attempt("old", 90_000, 500);
    attempt("good", 10, 200);
    attempt("retried", 60, 500);
    attempt("retried", 60, 500);
    attempt("retried", 30, 200);
    attempt("down", 20, null);
    const list = async (query = ""): Promise<unknown> => (await call(memory, `GET ${one}/batch-status${query}`)).value;
    const retried = { batch_id: "retried", ts: "2026-11-20T10:41:37.000Z", attempts: 2, response_code: "200" };
    const down = { batch_id: "down", ts: "2026-11-20T10:41:47.000Z", attempts: 1, failure_code: "connection_error" };
    expect(await list()).toEqual({ results: [retried, down] });
    expect(await list("?limit=1")).toEqual({ results: [retried] });
    for (const limit of ["0", "1001", "x"]) {
      expect(await list(`?limit=${limit}`)).toMatchObject({ errors: [{ code: "1300" }] });
    }
  });
});

test.each([
  ["zoe@shop.example", { result: "valid", valid: true, is_role: false, delivery_confidence: 100 }],
  ["Info@shop.example", { result: "risky", valid: true, is_role: true, delivery_confidence: 50 }],
  ["zoe@mailinator.com", { result: "risky", is_disposable: true }],
  ["zoe@gmail.com", { result: "valid", is_free: true }],
  ["zoe", { result: "undeliverable", valid: false, reason: "Invalid Syntax", delivery_confidence: 0 }],
])("validates the address %s", async (address, results) => {
  const { value } = await call(memoryServices(), `GET /recipient-validation/single/${address}`);
  expect(value).toMatchObject({ results });
});

test.each([
  ["key", "key"],
  ["Bearer key", "key"],
  [`Basic ${btoa("key:")}`, "key"],
  ["", null],
])("reads the key of the Authorization field %j", (authorization, key) => {
  expect(sparkpost.readKey?.({ authorization }, [])).toBe(key);
});

test("an unknown key is a 401 in SparkPost's shape", async () => {
  const request = jsonRequest({}, { path: "/api/v1/transmissions", key: "wrong" });
  const response = await callEndpoint(sparkpost, request, memoryServices().services);
  expect([response.status, response.body?.text]).toEqual([401, '{"errors":[{"message":"Unauthorized."}]}']);
});

describe("webhooks", () => {
  const wireOf = (...events: Parameters<typeof sparkPostEvents.render>[0]): unknown =>
    JSON.parse(Buffer.from(sparkPostEvents.render(events, sampleSigning({ token: "t" })).body).toString("utf8"));

  test.each([
    ["hard", "10"],
    ["soft", "22"],
    ["blocked", "25"],
  ] as const)("a %s bounce has the class %s", (bounce, bounce_class) => {
    const event = sampleEvent("bounced", { details: { bounce, reason: "550 no" } });
    expect(wireOf(event)).toMatchObject([
      { msys: { message_event: { type: "bounce", bounce_class, error_code: "550", raw_reason: "550 no" } } },
    ]);
  });

  test("name the campaign of the header field", () => {
    const headers = [{ field: "X-MSYS-API", value: '{"campaign_id":"spring"}' }];
    const mail = sampleEventMail({ headers, facts: { tags: [], metadata: {}, template: { id: "welcome", data: {} } } });
    expect(wireOf(sampleEvent("opened", { mail }))).toMatchObject([
      { msys: { track_event: { type: "open", campaign_id: "spring", template_id: "welcome" } } },
    ]);
  });

  test("have a batch id that is the same on every attempt", () => {
    const idOf = (id: string): unknown => {
      const { headers } = sparkPostEvents.render([sampleEvent("opened", { id })], sampleSigning({ token: "t" }));
      return headers["x-messagesystems-batch-id"];
    };
    expect(idOf("a")).toBe(idOf("a"));
    expect(idOf("a")).not.toBe(idOf("b"));
  });

  test.each<[CallbackSecrets, CallbackSecrets]>([
    [{ token: "t" }, { "x-messagesystems-webhook-token": "t" }],
    [{ token: "t", basicAuth: "a:b" }, { authorization: `Basic ${btoa("a:b")}` }],
    [{ token: "t", accessToken: "x" }, { authorization: "Bearer x" }],
  ])("authenticate with %j", (given, headers) => {
    const { secrets } = sparkPostEvents.createSecrets(given) as { secrets: CallbackSecrets };
    const request = sparkPostEvents.render([sampleEvent("opened")], sampleSigning(secrets));
    expect(request.headers).toMatchObject(headers);
    expect(sparkPostEvents.forge(request).headers).not.toMatchObject(headers);
  });

  test("hand over mail that is no UTF-8 in base64", () => {
    const raw = Buffer.from([0x53, 0x3a, 0xff]);
    const { body } = sparkPostInboundShape.render(sampleInboundMail({ raw }), {}, sampleSigning({ token: "t" }));
    expect(JSON.parse(Buffer.from(body).toString("utf8"))).toMatchObject([
      { msys: { relay_message: { content: { email_rfc822: raw.toString("base64"), email_rfc822_is_base64: true } } } },
    ]);
  });
});
