import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import { jsonOf, jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, startInstant, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { brevo } from "./provider.ts";
import { messageIdOf, uuidOfId } from "./response.ts";

const valid = {
  sender: { name: "App", email: "a@app.example" },
  to: [{ email: "zoe@shop.example" }],
  subject: "Hello",
  textContent: "Hello",
};

interface Sent extends Partial<ProviderRequest> {
  readonly value?: unknown;
  readonly memory?: MemoryServices;
}

async function call(method: ProviderMethod, path: string, sent: Sent = {}): Promise<ProviderResponse> {
  const { value, memory = memoryServices(), ...changes } = sent;
  const endpoint = brevo.endpoints.find((one) => one.method === method && one.path === path);
  const request = jsonRequest(value, { key: validKey, method, path, ...changes });
  return endpoint?.handle(request, memory.services) ?? expect.unreachable("no such endpoint");
}

async function send(memory: MemoryServices, changes: object = {}): Promise<ProviderResponse> {
  return call("POST", "/v3/smtp/email", { memory, value: { ...valid, ...changes } });
}

describe("POST /v3/smtp/email", () => {
  test("gives every version the values of the request that it lacks", async () => {
    const memory = memoryServices();
    const messageVersions = [
      { to: [{ email: "one@shop.example" }] },
      {
        to: [{ email: "two@shop.example" }],
        subject: "Second",
        params: { name: "Zoë" },
        cc: [{ email: "c@shop.example" }],
      },
    ];
    const response = await send(memory, { to: undefined, messageVersions });
    expect(response.status).toBe(201);
    expect(jsonOf(response)["messageIds"]).toEqual(memory.emails.map(({ providerId }) => providerId));
    expect(memory.emails.map(({ recipients }) => recipients)).toEqual([
      ["one@shop.example"],
      ["two@shop.example", "c@shop.example"],
    ]);
    expect(memory.emails.map(({ content }) => "subject" in content && content.subject)).toEqual([
      "Hello",
      'Second|{"params":{"name":"Zoë"},"contact":{"EMAIL":"two@shop.example"}}',
    ]);
  });

  test("does not fetch an attachment by URL, and stores the URL", async () => {
    const memory = memoryServices();
    await send(memory, { attachment: [{ url: "https://shop.example/a.pdf", name: "a.pdf" }] });
    expect(memory.emails[0]?.content).toMatchObject({
      attachments: [{ fileName: "a.pdf", contentType: "text/uri-list" }],
    });
  });

  test("does not write the options in headers into the mail", async () => {
    const memory = memoryServices();
    await send(memory, { headers: { "sender.ip": "1.2.3.4", "Idempotency-Key": "k", "X-Order": "4711" } });
    expect(memory.emails[0]?.content).toMatchObject({ headers: [["X-Order", "4711"]] });
  });

  test("rejects another mail with the same idempotency key", async () => {
    const memory = memoryServices();
    const headers = { "Idempotency-Key": "k" };
    await send(memory, { headers });
    expect(jsonOf(await send(memory, { headers, subject: "Other" }))).toMatchObject({ code: "duplicate_parameter" });
  });
});

describe("scheduled mail", () => {
  const hourMs = 3_600_000;
  const scheduledAt = new Date(startInstant + hourMs).toISOString();
  const batchId = "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d";

  test("is accepted with 202, shows its status, and is cancelled by its batch", async () => {
    const memory = memoryServices();
    const response = await send(memory, { scheduledAt, batchId });
    expect([response.status, jsonOf(response)["batchId"]]).toEqual([202, batchId]);
    await send(memory, { scheduledAt, batchId });
    const params = { id: batchId };
    expect(jsonOf(await call("GET", "/v3/smtp/emailStatus/:id", { memory, params }))).toEqual({
      count: 2,
      batches: Array.from({ length: 2 }, () => ({
        createdAt: "2026-11-20T10:42:07.000+00:00",
        scheduledAt: "2026-11-20T11:42:07.000+00:00",
        status: "queued",
      })),
    });
    expect(await call("DELETE", "/v3/smtp/email/:id", { memory, params })).toEqual({ status: 204, body: null });
    expect(memory.emails).toEqual([]);
    const again = await call("DELETE", "/v3/smtp/email/:id", { memory, params });
    expect([again.status, jsonOf(again)["code"]]).toEqual([404, "document_not_found"]);
  });

  test("is not cancelled after it has arrived", async () => {
    const memory = memoryServices();
    const { messageId } = jsonOf(await send(memory));
    const response = await call("DELETE", "/v3/smtp/email/:id", { memory, params: { id: String(messageId) } });
    expect([response.status, jsonOf(response)["code"]]).toEqual([400, "bad_request"]);
  });

  test.each([
    [new Date(startInstant - 1).toISOString(), "scheduledAt should not be in the past"],
    [new Date(startInstant + 73 * hourMs).toISOString(), "scheduledAt should be within 72 hours"],
    ["2026-11-20", "scheduledAt is not valid"],
  ])("is rejected at %s", async (at, message) => {
    expect(jsonOf(await send(memoryServices(), { scheduledAt: at }))).toEqual({ code: "invalid_parameter", message });
  });
});

describe("reading mail back", () => {
  test("lists by address, template and message id, with events", async () => {
    const memory = memoryServices();
    await send(memory, { tags: ["order"] });
    await send(memory, { to: [{ email: "eve@shop.example" }], templateId: 7, params: { a: 1 } });
    const [first, second] = memory.emails;
    const list = async (...fields: readonly (readonly [string, string])[]): Promise<unknown> => {
      const { count, transactionalEmails } = jsonOf(await call("GET", "/v3/smtp/emails", { memory, fields }));
      return [count, (transactionalEmails as readonly { uuid: string }[]).map(({ uuid }) => uuid)];
    };
    expect(await list(["email", "zoe@shop.example"])).toEqual([1, [first?.uuid]]);
    expect(await list(["templateId", "7"])).toEqual([1, [second?.uuid]]);
    expect(await list(["messageId", second?.providerId ?? ""])).toEqual([1, [second?.uuid]]);
    expect(await call("GET", "/v3/smtp/emails", { memory })).toMatchObject({ status: 400 });
    const fields = [["tags", "order"]] as const;
    const { events } = jsonOf(await call("GET", "/v3/smtp/statistics/events", { memory, fields }));
    expect(events).toMatchObject([
      { event: "delivered", email: "zoe@shop.example", tag: "order", messageId: first?.providerId },
      { event: "requests" },
    ]);
  });
});

describe("templates", () => {
  const template = {
    templateName: "welcome",
    subject: "Hi {{ params.name }}",
    htmlContent: "<p>Hi {{ params.name }}</p>",
    sender: { email: "shop@app.example" },
    replyTo: "help@app.example",
    isActive: true,
  };

  test("are created with ascending ids, used with their own sender, changed, listed and removed", async () => {
    const memory = memoryServices();
    const path = "/v3/smtp/templates";
    const one = `${path}/:id`;
    expect(jsonOf(await call("POST", path, { memory, value: template }))).toEqual({ id: 1 });
    expect(jsonOf(await call("POST", path, { memory, value: template }))).toEqual({ id: 2 });
    const { sender: _sender, subject: _subject, textContent: _text, ...mail } = valid;
    const value = { ...mail, templateId: 1, params: { name: "Zoë" } };
    expect(await call("POST", "/v3/smtp/email", { memory, value })).toMatchObject({ status: 201 });
    expect(memory.templateJobs[0]).toEqual({
      language: "jinja",
      sources: { subject: template.subject, html: template.htmlContent },
      data: { params: { name: "Zoë" }, contact: { EMAIL: "zoe@shop.example" } },
    });
    expect(memory.emails[0]).toMatchObject({
      mailFrom: "shop@app.example",
      content: { replyTo: [{ address: "help@app.example" }] },
    });
    const params = { id: "1" };
    expect(await call("DELETE", one, { memory, params })).toMatchObject({ status: 400 });
    expect(await call("PUT", one, { memory, params, value: { isActive: false } })).toMatchObject({ status: 204 });
    expect(jsonOf(await call("POST", "/v3/smtp/email", { memory, value }))).toMatchObject({
      message: "Template is inactive",
    });
    const { count, templates } = jsonOf(await call("GET", path, { memory }));
    expect([count, templates]).toMatchObject([2, [{ id: 2 }, { id: 1, isActive: false, name: "welcome" }]]);
    expect(await call("DELETE", one, { memory, params })).toMatchObject({ status: 204 });
    expect(await call("GET", one, { memory, params })).toMatchObject({ status: 404 });
  });

  test.each([
    [{ ...template, htmlContent: "short" }, "htmlContent should have more than 10 characters"],
    [{ ...template, sender: { email: "x" } }, "valid sender email required"],
    [{ ...template, subject: undefined }, "subject is missing"],
  ])("are rejected: %j", async (value, message) => {
    expect(jsonOf(await call("POST", "/v3/smtp/templates", { value }))).toMatchObject({ message });
  });
});

describe("POST /v3/transactionalSMS/sms", () => {
  test("prepends the prefix and reports segments", async () => {
    const memory = memoryServices();
    const value = { sender: "Shop", recipient: 447_700_900_123, content: "x".repeat(160), organisationPrefix: "Shop:" };
    const response = jsonOf(await call("POST", "/v3/transactionalSMS/sms", { memory, value }));
    expect(response).toMatchObject({ smsCount: 2, usedCredits: 2 });
    expect(Number.isSafeInteger(response["messageId"])).toBe(true);
    expect(memory.sms[0]).toMatchObject({ to: "+447700900123", text: `Shop: ${"x".repeat(160)}` });
  });
});

test("message ids hold the whole UUID", () => {
  for (const uuid of ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]) {
    expect(uuidOfId(messageIdOf(uuid))).toBe(uuid);
  }
  expect(uuidOfId(`<${2n ** 128n}@smtp-relay.mailin.fr>`)).toBe("");
});

test("reports a missing and an unknown key", () => {
  const textOf = (headers: ProviderRequest["headers"]): unknown =>
    jsonOf(brevo.errorResponse(new Problem("unauthenticated"), { method: "GET", path: "/", headers }))["message"];
  expect(textOf({})).toBe("authentication not found in headers");
  expect(textOf({ "api-key": "x" })).toBe("Key not found");
});
