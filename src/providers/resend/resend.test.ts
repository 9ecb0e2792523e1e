import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import type { EmailDraft } from "../email.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import { jsonOf, jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, startInstant, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { resend } from "./provider.ts";
import { readScheduledAt } from "./request.ts";

const valid = { from: "App <a@app.example>", to: "zoe@shop.example", subject: "Hello", text: "Hello" };
const hourMs = 3_600_000;

interface Sent extends Partial<ProviderRequest> {
  readonly value?: unknown;
  readonly memory?: MemoryServices;
}

async function call(method: ProviderMethod, pattern: string, sent: Sent = {}): Promise<ProviderResponse> {
  const { value, memory = memoryServices(), ...changes } = sent;
  const endpoint = resend.endpoints.find((one) => one.method === method && one.path === pattern);
  const request = jsonRequest(value, { key: validKey, method, path: pattern, ...changes });
  return endpoint?.handle(request, memory.services) ?? expect.unreachable("no such endpoint");
}

async function send(memory: MemoryServices, changes: object = {}): Promise<string> {
  const response = await call("POST", "/emails", { memory, value: { ...valid, ...changes } });
  return String(jsonOf(response)["id"]);
}

describe("POST /emails", () => {
  test("accepts the content of an attachment as a serialised Buffer, as older SDKs send it", async () => {
    const memory = memoryServices();
    await send(memory, { attachments: [{ filename: "a.pdf", content: Buffer.from("PDF").toJSON() }] });
    const [email] = memory.emails;
    expect(email?.content).toMatchObject({
      attachments: [{ fileName: "a.pdf", contentType: "application/pdf", content: new Uint8Array(Buffer.from("PDF")) }],
    });
  });

  test("accepts the content of an attachment as an array of bytes, as the SDKs of Go and Python send it", async () => {
    const memory = memoryServices();
    const large = Buffer.alloc(1_000_000, "0123456789abcdef \u00ff");
    const attachments = [
      { filename: "a.txt", content: [72, 105, 10] },
      { filename: "b.bin", content: [...large] },
      { filename: "c.bin", content: large.toJSON() },
    ];
    await send(memory, { text: `[${"1,".repeat(300)}1]`, attachments });
    const { text, attachments: sent } = (memory.emails[0]?.content ?? {}) as Partial<EmailDraft>;
    expect(text).toBe(`[${"1,".repeat(300)}1]`);
    const expected = [Buffer.from("Hi\n"), large, large];
    expect(sent?.map(({ content }, at) => Buffer.compare(content, expected[at] ?? large))).toEqual([0, 0, 0]);
  });

  test.each([[[72, 256]], [[72, -1]], [[72, 1.5]], [["72"]], [Array.from({ length: 300 }, () => 300)]])(
    "rejects an array that is not of bytes, as %j",
    async (content) => {
      const response = await call("POST", "/emails", {
        value: { ...valid, attachments: [{ filename: "a", content }] },
      });
      expect([response.status, jsonOf(response)["name"]]).toEqual([422, "invalid_attachment"]);
    },
  );

  test.each(["content_id", "inline_content_id"])("takes an attachment with %s for an inline image", async (field) => {
    const memory = memoryServices();
    await send(memory, { attachments: [{ filename: "a.png", content: "SGkK", [field]: "logo" }] });
    expect(memory.emails[0]?.content).toMatchObject({ attachments: [{ contentId: "logo", isInline: true }] });
  });

  test("does not fetch an attachment by path, and stores its URL", async () => {
    const memory = memoryServices();
    await send(memory, { attachments: [{ filename: "a.pdf", path: "https://shop.example/a.pdf" }] });
    expect(memory.emails[0]?.content).toMatchObject({
      attachments: [
        { fileName: "a.pdf", contentType: "text/uri-list", content: Buffer.from("https://shop.example/a.pdf\r\n") },
      ],
    });
  });

  test("rejects another mail with the same idempotency key with 409", async () => {
    const memory = memoryServices();
    const headers = { "idempotency-key": "k" };
    await call("POST", "/emails", { memory, headers, value: valid });
    const response = await call("POST", "/emails", { memory, headers, value: { ...valid, subject: "Other" } });
    expect([response.status, jsonOf(response)["name"]]).toEqual([409, "invalid_idempotent_request"]);
  });
});

describe("POST /emails/batch", () => {
  const batch = [valid, { ...valid, to: "nobody" }, valid];

  test("stores nothing when one mail is invalid", async () => {
    const memory = memoryServices();
    const response = await call("POST", "/emails/batch", { memory, value: batch });
    expect(response.status).toBe(422);
    expect(memory.emails).toEqual([]);
  });

  test("stores the valid mails with permissive validation and lists the errors", async () => {
    const memory = memoryServices();
    const headers = { "x-batch-validation": "permissive" };
    const { data, errors } = jsonOf(await call("POST", "/emails/batch", { memory, headers, value: batch }));
    expect(data).toEqual(memory.emails.map(({ uuid }) => ({ id: uuid })));
    expect(errors).toEqual([{ index: 1, message: expect.stringContaining("Invalid `to` field.") as string }]);
    expect(memory.emails).toHaveLength(2);
  });

  test.each([[[]], [Array.from({ length: 101 }, () => valid)], [{}]])("rejects %j", async (value) => {
    expect(await call("POST", "/emails/batch", { value })).toMatchObject({ status: 422 });
  });
});

describe("scheduled mail", () => {
  test("is shown as scheduled, changes its time, and is not cancelled after it has arrived", async () => {
    const memory = memoryServices();
    const id = await send(memory, { scheduled_at: "in 1 hour" });
    const params = { id };
    const get = async (): Promise<unknown> => jsonOf(await call("GET", "/emails/:id", { memory, params }));
    expect(await get()).toMatchObject({ last_event: "scheduled", scheduled_at: "2026-11-20 11:42:07.000000+00" });
    const value = { scheduled_at: new Date(startInstant + 2 * hourMs).toISOString() };
    const changed = await call("PATCH", "/emails/:id", { memory, params, value });
    expect(jsonOf(changed)).toEqual({ object: "email", id });
    expect(await get()).toMatchObject({ scheduled_at: "2026-11-20 12:42:07.000000+00" });
    const arrived = await send(memory);
    const response = await call("POST", "/emails/:id/cancel", { memory, params: { id: arrived } });
    expect([response.status, jsonOf(response)["name"]]).toEqual([422, "validation_error"]);
  });

  test.each([
    ["2026-11-21T10:00:00Z", Date.UTC(2026, 10, 21, 10)],
    ["2026-11-21T10:00:00+02:00", Date.UTC(2026, 10, 21, 8)],
    ["2026-11-21 10:00", Date.UTC(2026, 10, 21, 10)],
    ["2026-11-21", Date.UTC(2026, 10, 21)],
    ["in 1 min", startInstant + 60_000],
    ["in an hour", startInstant + hourMs],
    ["in 2 days", startInstant + 48 * hourMs],
  ])("understands %s", (text, expected) => {
    expect(readScheduledAt(text, startInstant)).toBe(expected);
  });

  test("reads any text as an instant within 30 days or rejects it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.jsonValue()), (value) => {
        try {
          expect(readScheduledAt(value, startInstant) ?? 0).toBeLessThanOrEqual(startInstant + 720 * hourMs);
        } catch (error) {
          expect(error).toMatchObject({ failure: { statusCode: 422 } });
        }
      }),
    );
  });
});

describe("GET /emails", () => {
  test("lists the newest first, in pages after and before an id", async () => {
    const memory = memoryServices();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift(await send(memory));
    const page = async (...fields: readonly (readonly [string, string])[]): Promise<unknown> => {
      const { data, has_more: hasMore } = jsonOf(await call("GET", "/emails", { memory, fields }));
      return [(data as readonly { id: string }[]).map(({ id }) => ids.indexOf(id)), hasMore];
    };
    expect(await page(["limit", "2"])).toEqual([[0, 1], true]);
    expect(await page(["limit", "2"], ["after", ids[1] ?? ""])).toEqual([[2, 3], true]);
    expect(await page(["limit", "2"], ["after", ids[3] ?? ""])).toEqual([[4], false]);
    expect(await page(["limit", "2"], ["before", ids[3] ?? ""])).toEqual([[1, 2], true]);
    expect(await call("GET", "/emails", { memory, fields: [["limit", "0"]] })).toMatchObject({ status: 422 });
    expect(await call("GET", "/emails", { memory, fields: [["after", "x"]] })).toMatchObject({ status: 404 });
  });
});

describe("templates", () => {
  const variables = [
    { key: "NAME", type: "string" },
    { key: "COUNT", type: "number", fallback_value: 3 },
  ];
  const template = { name: "welcome", alias: "hello", subject: "Hi {{{NAME}}}", html: "<p>{{{COUNT}}}</p>", variables };

  test("are created, published, used by alias, changed, copied, listed and removed", async () => {
    const memory = memoryServices();
    const { id } = jsonOf(await call("POST", "/templates", { memory, value: template }));
    const params = { id: String(id) };
    const use = async (data: object): Promise<ProviderResponse> => {
      const { text: _text, subject: _subject, ...mail } = valid;
      return call("POST", "/emails", { memory, value: { ...mail, template: { id: "hello", variables: data } } });
    };
    expect(jsonOf(await use({ NAME: "Zoë" }))).toMatchObject({ message: "The template is not published." });
    await call("POST", "/templates/:id/publish", { memory, params });
    expect(jsonOf(await use({}))).toMatchObject({ message: "Missing values of template variables: NAME" });
    expect(await use({ NAME: "Zoë" })).toMatchObject({ status: 200 });
    expect(memory.templateJobs).toEqual([
      {
        language: "variables",
        sources: { subject: template.subject, html: template.html },
        data: { NAME: "Zoë", COUNT: 3 },
      },
    ]);
    await call("PATCH", "/templates/:id", { memory, params, value: { subject: "Changed" } });
    const shown = jsonOf(await call("GET", "/templates/:id", { memory, params: { id: "hello" } }));
    expect(shown).toMatchObject({ id, subject: "Changed", status: "published", has_unpublished_versions: true });
    await use({ NAME: "Zoë" });
    expect(memory.templateJobs[1]?.sources["subject"]).toBe(template.subject);
    const copy = jsonOf(await call("POST", "/templates/:id/duplicate", { memory, params }));
    const { data } = jsonOf(await call("GET", "/templates", { memory }));
    expect(data).toMatchObject([
      { id, alias: "hello" },
      { id: copy["id"], alias: null, status: "draft" },
    ]);
    const removed = await call("DELETE", "/templates/:id", { memory, params });
    expect(jsonOf(removed)).toEqual({ object: "template", id, deleted: true });
    expect(await call("GET", "/templates/:id", { memory, params: { id: "hello" } })).toMatchObject({ status: 404 });
  });

  test("rejects a template with an alias of another one", async () => {
    const memory = memoryServices();
    await call("POST", "/templates", { memory, value: template });
    const response = await call("POST", "/templates", { memory, value: template });
    expect(jsonOf(response)).toMatchObject({ statusCode: 422, message: "The template alias is already in use." });
  });
});

test("reports a missing key, an invalid key and an invalid id by their names", async () => {
  const request = jsonRequest({});
  const nameOf = (headers: ProviderRequest["headers"]): unknown =>
    jsonOf(resend.errorResponse(new Problem("unauthenticated"), { ...request, headers }))["name"];
  expect(nameOf({})).toBe("missing_api_key");
  expect(nameOf({ authorization: "Bearer re_x" })).toBe("invalid_api_key");
  const response = await call("GET", "/emails/:id", { params: { id: "x" } });
  expect([response.status, jsonOf(response)["name"]]).toEqual([422, "invalid_parameter"]);
});
