import { describe, expect, test } from "vitest";
import type { EmailDraft } from "../email.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { sampleEvent, sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { memoryServices, startInstant, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { mailtrapEvents } from "./event-webhook.ts";
import { mailtrap } from "./provider.ts";
import { mailtrapRequest } from "./samples.test-aid.ts";

const valid = {
  from: { email: "a@app.example" },
  to: [{ email: "zoe@shop.example" }],
  subject: "Hello",
  text: "Hello",
};
const account = "/api/accounts/1";

interface Sent {
  readonly value?: unknown;
  readonly memory?: MemoryServices;
  readonly query?: readonly (readonly [string, string])[];
}

async function call(line: string, { value = {}, memory = memoryServices(), query = [] }: Sent = {}) {
  const [method = "", path = ""] = line.split(" ");
  const changes: Partial<ProviderRequest> = { method: method as ProviderMethod, path, fields: query };
  return callEndpoint(mailtrap, mailtrapRequest(value, validKey, changes), memory.services);
}

const draftsOf = (memory: MemoryServices): readonly EmailDraft[] =>
  memory.emails.map(({ content }) => content as EmailDraft);

describe("POST /api/send", () => {
  test("responds with an id for each recipient, all of the one message", async () => {
    const memory = memoryServices();
    const copies = { cc: [{ email: "cc@shop.example" }], bcc: [{ email: "bcc@shop.example" }] };
    const response = await call("POST /api/send", { memory, value: { ...valid, ...copies } });
    const id = memory.emails[0]?.uuid;
    expect(jsonOf(response)).toEqual({ success: true, message_ids: [id, id, id] });
  });

  test("needs only one of to, cc and bcc", async () => {
    const value = { ...valid, to: undefined, bcc: [{ email: "bcc@shop.example" }] };
    expect((await call("POST /api/send", { value })).status).toBe(200);
  });

  test("writes custom variables as texts, and accepts an empty array, as PHP writes an empty object", async () => {
    const memory = memoryServices();
    await call("POST /api/send", { memory, value: { ...valid, custom_variables: { a: 1, b: true, c: "x" } } });
    await call("POST /api/send", { memory, value: { ...valid, custom_variables: [], headers: [] } });
    expect(memory.emails.map(({ facts }) => facts.metadata)).toEqual([{ a: "1", b: "true", c: "x" }, {}]);
  });

  test.each([
    [{ category: "x".repeat(255) }],
    [{ custom_variables: { a: "x".repeat(992) } }],
    [{ attachments: [{ filename: "a.txt", content: "SGkK\r\nSGkK" }] }],
  ])("accepts %j at the limit", async (changes) => {
    expect((await call("POST /api/send", { value: { ...valid, ...changes } })).status).toBe(200);
  });
});

describe("POST /api/batch", () => {
  test("adds the members of base, and responds to each mail", async () => {
    const memory = memoryServices();
    const { to, ...base } = valid;
    const requests = [{ to }, { to, subject: "Own" }, { to: [{ email: "x" }] }, 1];
    const { success, responses } = jsonOf(await call("POST /api/batch", { memory, value: { base, requests } }));
    const [first, second] = memory.emails.map(({ uuid }) => uuid);
    expect(success).toBe(true);
    expect(responses).toEqual([
      { success: true, message_ids: [first] },
      { success: true, message_ids: [second] },
      { success: false, errors: ["'to' address is invalid"] },
      { success: false, errors: expect.arrayContaining(["'from' is required"]) as unknown },
    ]);
    expect(draftsOf(memory).map(({ subject }) => subject)).toEqual(["Hello", "Own"]);
  });

  test.each([
    [{}],
    [{ requests: [] }],
    [{ requests: Array.from({ length: 501 }, () => valid) }],
    [{ base: 1, requests: [valid] }],
  ])("rejects other batches", async (value) => {
    expect(await call("POST /api/batch", { value })).toMatchObject({ status: 400 });
  });
});

describe("templates", () => {
  const email_template = { name: "Welcome", category: "Test", subject: "Hi {{name}}", body_html: "<p>{{name}}</p>" };
  const path = `${account}/email_templates`;
  const create = async (memory: MemoryServices): Promise<{ readonly id: number; readonly uuid: string }> =>
    jsonOf(await call(`POST ${path}`, { memory, value: { email_template } })) as never;

  test("are created, listed with the newest first, changed and removed", async () => {
    const memory = memoryServices();
    const [first, second] = [await create(memory), await create(memory)];
    const list = await call(`GET ${path}`, { memory });
    expect((jsonOf(list) as unknown as { id: number }[]).map(({ id }) => id)).toEqual([second.id, first.id]);
    memory.now += 1000;
    const changed = await call(`PATCH ${path}/${first.id}`, { memory, value: { email_template: { name: "New" } } });
    const created_at = new Date(startInstant).toISOString();
    const updated_at = new Date(startInstant + 1000).toISOString();
    expect(jsonOf(changed)).toEqual({ ...first, name: "New", created_at, updated_at });
    expect((await call(`DELETE ${path}/${first.id}`, { memory })).status).toBe(204);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const response = await call(`${method} ${path}/${first.id}`, { memory });
      expect([response.status, jsonOf(response)]).toEqual([404, { error: "Not Found" }]);
    }
  });

  test.each([
    ["name", "", "can't be blank"],
    ["subject", " ", "can't be blank"],
    ["body_text", 1, "is invalid"],
  ])("need a valid %s", async (field, value, text) => {
    const response = await call(`POST ${path}`, { value: { email_template: { ...email_template, [field]: value } } });
    expect([response.status, jsonOf(response)]).toEqual([422, { errors: { [field]: [text] } }]);
  });

  test("render the mail by their UUID", async () => {
    const memory = memoryServices();
    const { uuid } = await create(memory);
    const { from, to } = valid;
    const value = { from, to, template_uuid: uuid, template_variables: { name: "Zoë" } };
    await call("POST /api/send", { memory, value });
    expect(draftsOf(memory)).toMatchObject([{ subject: 'Hi {{name}}|{"name":"Zoë"}', text: null }]);
    expect(memory.templateJobs[0]?.language).toBe("handlebars");
  });
});

describe("suppressions", () => {
  const path = `${account}/suppressions`;
  const zoe = { email: "Zoe@shop.example", domain_id: 1, sending_stream: "bulk" };

  test("are created, found by address and removed", async () => {
    const memory = memoryServices();
    const created = await call(`POST ${path}`, { memory, value: zoe });
    const { id } = (jsonOf(created) as { data: { id: string } }).data;
    expect(jsonOf(created)).toMatchObject({ data: { email: "zoe@shop.example", type: "manual import" } });
    const find = async (email: string): Promise<unknown> =>
      jsonOf(await call(`GET ${path}`, { memory, query: [["email", email]] }));
    expect(await find("zoe@SHOP.example")).toMatchObject([{ id }]);
    expect(await find("ada@shop.example")).toEqual([]);
    expect(jsonOf(await call(`DELETE ${path}/${id}`, { memory }))).toMatchObject({ id });
    expect((await call(`DELETE ${path}/${id}`, { memory })).status).toBe(404);
  });

  test.each([
    ["email", "x"],
    ["type", "x"],
    ["sending_stream", undefined],
  ])("need a valid %s", async (field, value) => {
    const response = await call(`POST ${path}`, { value: { ...zoe, [field]: value } });
    expect([response.status, Object.keys(jsonOf(response)["errors"] as object)]).toEqual([422, [field]]);
  });
});

describe("errors", () => {
  const context = { method: "POST", headers: {}, now: startInstant } as const;
  const bodyOf = ({ status, body }: ProviderResponse): unknown => [status, JSON.parse(body?.text ?? "")];

  test.each([
    ["/api/send", { success: false, errors: ["Unauthorized"] }],
    ["/api/batch/1", { success: false, errors: ["Unauthorized"] }],
    ["/api/accounts", { error: "Incorrect API token" }],
    ["/api/sending_domains", { error: "Incorrect API token" }],
  ])("have the shape of %s", (path, body) => {
    expect(bodyOf(mailtrap.faultResponse("unauthorized", { ...context, path }))).toEqual([401, body]);
  });

  test("name the limit of requests", () => {
    const { headers } = mailtrap.faultResponse("rateLimited", { ...context, path: "/api/send" });
    expect(headers).toMatchObject({ "x-ratelimit-limit": "150", "retry-after": "1" });
  });
});

test.each([
  [{ "api-token": "a" }, "a"],
  [{ authorization: "Bearer b" }, "b"],
  [{ "api-token": "a", authorization: "Bearer b" }, "a"],
  [{ authorization: "Basic b" }, null],
  [{}, null],
])("reads the key of %j", (headers, key) => {
  expect(mailtrap.readKey?.(headers, [])).toBe(key);
});

describe("events", () => {
  const secrets = { secret: "s" };

  test("are lines of JSON with the format jsonl", () => {
    const events = [sampleEvent("delivered"), sampleEvent("bounced", { details: { bounce: "soft" } })];
    const { body, contentType } = mailtrapEvents.render(
      events,
      sampleSigning(secrets, { options: { format: "jsonl" } }),
    );
    const lines = Buffer.from(body).toString().trimEnd().split("\n");
    expect(contentType).toBe("application/jsonl");
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(["delivery", "soft bounce"]);
  });

  test("name the sending stream of the target", () => {
    const { body } = mailtrapEvents.render(
      [sampleEvent("opened")],
      sampleSigning(secrets, { options: { stream: "bulk" } }),
    );
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ events: [{ sending_stream: "bulk" }] });
  });
});
