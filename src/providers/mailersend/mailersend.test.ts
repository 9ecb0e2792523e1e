import { describe, expect, test } from "vitest";
import type { EmailDraft } from "../email.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { memoryServices, startInstant, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { mailersend } from "./provider.ts";
import { mailerSendRequest } from "./samples.test-aid.ts";

const [zoe, ada] = ["zoe@shop.example", "ada@shop.example"];
const valid = { from: { email: "a@app.example" }, to: [{ email: zoe }], subject: "Hello", text: "Hello" };
const hour = 3600;
const now = startInstant / 1000;

interface Sent {
  readonly value?: unknown;
  readonly memory?: MemoryServices;
  readonly query?: readonly (readonly [string, string])[];
}

async function call(line: string, { value = {}, memory = memoryServices(), query = [] }: Sent = {}) {
  const [method = "", path = ""] = line.split(" ");
  const changes: Partial<ProviderRequest> = {
    method: method as ProviderMethod,
    path: `/v1${path}`,
    url: `http://localhost/providers/mailersend/v1${path}?x=1`,
    fields: query,
  };
  return callEndpoint(mailersend, mailerSendRequest(value, validKey, changes), memory.services);
}

async function send(memory: MemoryServices, changes: object = {}): Promise<ProviderResponse> {
  return call("POST /email", { memory, value: { ...valid, ...changes } });
}

const drafts = (memory: MemoryServices): readonly EmailDraft[] =>
  memory.emails.map(({ content }) => content as EmailDraft);
const errorsOf = (response: ProviderResponse): readonly string[] => Object.keys(jsonOf(response)["errors"] as object);

describe("POST /email", () => {
  test("responds with 202, the id and an empty body of type text/html, as MailerSend does", async () => {
    const memory = memoryServices();
    const response = await send(memory);
    expect(response).toMatchObject({ status: 202, body: { contentType: "text/html; charset=UTF-8", text: "" } });
    const id = memory.emails[0]?.uuid.replaceAll("-", "") ?? "";
    expect(response.headers).toEqual({ "X-Message-Id": id });
    expect(memory.emails[0]?.messageId).toBe(`<${id}@mailersend.net>`);
  });

  test("writes threading, list and bulk members as header fields", async () => {
    const memory = memoryServices();
    await send(memory, {
      in_reply_to: "first@app.example",
      references: ["first@app.example", "<second@app.example>"],
      list_unsubscribe: "<https://app.example/u>",
      precedence_bulk: true,
      settings: { track_clicks: false },
    });
    expect(drafts(memory)[0]?.headers).toEqual([
      ["In-Reply-To", "<first@app.example>"],
      ["References", "<first@app.example> <second@app.example>"],
      ["List-Unsubscribe", "<https://app.example/u>"],
      ["Precedence", "bulk"],
    ]);
  });

  test("stores a mail for each group of recipients with the same data", async () => {
    const memory = memoryServices();
    const personalization = [
      { email: zoe, data: { name: "Zoë" } },
      { email: ada.toUpperCase(), data: { name: "Ada" } },
    ];
    const to = [{ email: zoe }, { email: ada }];
    await send(memory, { to, bcc: [{ email: "copy@shop.example" }], text: "Hi {{ name }}", personalization });
    expect(memory.emails.map(({ recipients }) => recipients)).toEqual([[zoe, "copy@shop.example"], [ada]]);
    expect(drafts(memory).map((one) => [one.to.length, one.bcc.length, one.text])).toEqual([
      [2, 1, 'Hi {{ name }}|{"name":"Zoë"}'],
      [2, 0, 'Hi {{ name }}|{"name":"Ada"}'],
    ]);
  });

  test("renders nothing without personalization", async () => {
    const memory = memoryServices();
    await send(memory, { text: "Hi {{ name }}" });
    expect(drafts(memory)[0]?.text).toBe("Hi {{ name }}");
    expect(memory.templateJobs).toEqual([]);
  });

  test("delivers to rcpt_to, which is hidden without other recipients", async () => {
    const memory = memoryServices();
    const rcpt = [{ email: "rcpt@shop.example" }];
    await send(memory, { to: undefined, rcpt_to: rcpt });
    await send(memory, { rcpt_to: rcpt });
    expect(memory.emails.map(({ recipients }) => recipients)).toEqual([["rcpt@shop.example"], ["rcpt@shop.example"]]);
    expect(drafts(memory).map(({ to, bcc }) => [to.length, bcc.length])).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  test.each([
    ["reply_to as an array, which older SDKs send", { reply_to: [{ email: ada }] }, 1],
    ["an empty reply_to, which the SDK for Go sends", { reply_to: { email: "", name: "" } }, 0],
  ])("accepts %s", async (_title, changes, count) => {
    const memory = memoryServices();
    expect((await send(memory, changes)).status).toBe(202);
    expect(drafts(memory)[0]?.replyTo).toHaveLength(count);
  });

  test.each([
    ["subject of 999 characters", { subject: "x".repeat(999) }, ["subject"]],
    ["6 tags", { tags: ["a", "b", "c", "d", "e", "f"] }, ["tags"]],
    ["11 copies", { cc: Array.from({ length: 11 }, (_, at) => ({ email: `a${at}@shop.example` })) }, ["cc"]],
    ["a time after 72 hours", { send_at: now + 72 * hour + 1 }, ["send_at"]],
    ["a name that is no string", { to: [{ email: zoe, name: 1 }] }, ["to.0.name"]],
    ["a file without a name", { attachments: [{ content: "" }] }, ["attachments.0.filename"]],
    ["data that is no object", { personalization: [{ email: zoe, data: "x" }] }, ["personalization.0.data"]],
    [
      "arrays of other types",
      { to: [1], tags: "a", headers: [{ name: "X-A", value: 1 }] },
      ["to.0", "headers.0.value", "tags"],
    ],
  ])("rejects a %s", async (_title, changes, fields) => {
    const memory = memoryServices();
    const response = await send(memory, changes);
    expect([response.status, errorsOf(response)]).toEqual([422, fields]);
    expect(memory.emails).toEqual([]);
  });

  test.each([
    ["subject of 998 characters", { subject: "x".repeat(998) }],
    ["time in 72 hours", { send_at: String(now + 72 * hour) }],
    ["empty array of data, as PHP writes an empty object", { personalization: [{ email: zoe, data: [] }] }],
  ])("accepts a %s", async (_title, changes) => {
    expect((await send(memoryServices(), changes)).status).toBe(202);
  });

  test("counts the errors beside the first one in its message", async () => {
    const response = await call("POST /email", { value: {} });
    expect(jsonOf(response)["message"]).toBe("The to field is required. #MS42209 (and 4 more errors)");
  });
});

describe("templates", () => {
  test("are created, listed, changed and removed", async () => {
    const memory = memoryServices();
    const created = await call("POST /templates", {
      memory,
      value: { name: "Welcome", html: "<p>Hi</p>", text: "Hi" },
    });
    const { id } = jsonOf(created)["data"] as { id: string };
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    await call(`PUT /templates/${id}`, { memory, value: { name: "Changed" } });
    expect(jsonOf(await call("GET /templates", { memory }))).toMatchObject({ data: [{ id, name: "Changed" }] });
    await send(memory, { text: undefined, template_id: id });
    expect(drafts(memory)[0]).toMatchObject({ subject: "Hello", text: "Hi", html: "<p>Hi</p>" });
    expect(await send(memory, { subject: undefined, template_id: id })).toMatchObject({ status: 422 });
    expect((await call(`DELETE /templates/${id}`, { memory })).status).toBe(204);
    expect((await call(`GET /templates/${id}`, { memory })).status).toBe(404);
    expect((await call(`DELETE /templates/${id}`, { memory })).status).toBe(404);
  });

  test("need a name and HTML", async () => {
    expect(errorsOf(await call("POST /templates", { value: { text: 1 } }))).toEqual(["text", "name", "html"]);
  });

  test("need no subject and no sender when they are not stored", async () => {
    const memory = memoryServices();
    const response = await send(memory, { from: undefined, subject: undefined, text: undefined, template_id: "abc" });
    expect(response.status).toBe(202);
    expect(drafts(memory)[0]).toMatchObject({ subject: "Template abc", from: { address: /@mailersend\.invalid$/ } });
  });
});

describe("POST /bulk-email", () => {
  test("stores the valid mails and keeps the errors of the others", async () => {
    const memory = memoryServices();
    const value = [valid, { ...valid, to: [{ email: "x" }], subject: "" }, valid, 1];
    const { bulk_email_id: id } = jsonOf(await call("POST /bulk-email", { memory, value })) as {
      bulk_email_id: string;
    };
    expect(memory.emails).toHaveLength(2);
    expect(jsonOf(await call(`GET /bulk-email/${id}`, { memory }))["data"]).toMatchObject({
      id,
      state: "completed",
      total_recipients_count: 2,
      validation_errors_count: 3,
      validation_errors: { "message.1": { "to.0.email": expect.any(Array) as unknown } },
      messages_id: memory.emails.map(({ providerId }) => providerId),
      suppressed_recipients: null,
    });
  });

  test("has a state without any valid mail", async () => {
    const memory = memoryServices();
    const { bulk_email_id: id } = jsonOf(await call("POST /bulk-email", { memory, value: [{}] })) as {
      bulk_email_id: string;
    };
    expect(jsonOf(await call(`GET /bulk-email/${id}`, { memory }))["data"]).toMatchObject({ messages_id: [] });
  });

  test.each([
    [{}, 400],
    [[], 422],
    [Array.from({ length: 501 }, () => valid), 422],
  ])("rejects other bodies", async (value, status) => {
    expect((await call("POST /bulk-email", { value })).status).toBe(status);
  });

  test("does not know other ids", async () => {
    expect((await call("GET /bulk-email/none")).status).toBe(404);
  });
});

describe("scheduled mail", () => {
  test("is listed by its status, shown and cancelled", async () => {
    const memory = memoryServices();
    await send(memory, { send_at: now + hour });
    await send(memory);
    const [id = "", other = ""] = memory.emails.map(({ providerId }) => providerId);
    const list = async (status: string): Promise<unknown> =>
      jsonOf(await call("GET /message-schedules", { memory, query: [["status", status]] }))["data"];
    const sendAt = "2026-11-20T11:42:07.000000Z";
    expect(await list("scheduled")).toMatchObject([{ message_id: id, status: "scheduled", send_at: sendAt }]);
    expect(await list("sent")).toEqual([]);
    expect(jsonOf(await call(`GET /message-schedules/${id}`, { memory }))).toMatchObject({
      data: { message_id: id, message: { id } },
    });
    expect((await call(`GET /message-schedules/${other}`, { memory })).status).toBe(404);
    expect((await call(`DELETE /message-schedules/${other}`, { memory })).status).toBe(404);
    expect((await call(`DELETE /message-schedules/${id}`, { memory })).status).toBe(204);
    expect(await list("scheduled")).toEqual([]);
    expect((await call("GET /message-schedules", { query: [["status", "x"]] })).status).toBe(422);
  });
});

describe("suppressions", () => {
  const add = async (memory: MemoryServices, list: string, value: object): Promise<ProviderResponse> =>
    call(`POST /suppressions/${list}`, { memory, value: { domain_id: "d", ...value } });

  test("leave out recipients with a warning that names the reasons", async () => {
    const memory = memoryServices();
    await add(memory, "blocklist", { patterns: [".*@blocked.example"] });
    await add(memory, "hard-bounces", { recipients: ["Bounced@blocked.example"] });
    const to = [{ email: zoe }, { email: "bounced@blocked.example", name: "B" }];
    const response = await send(memory, { to });
    const suppressed = { email: "bounced@blocked.example", name: "B", reasons: ["blocklisted", "hard_bounced"] };
    expect(jsonOf(response)["warnings"]).toMatchObject([{ type: "SOME_SUPPRESSED", recipients: [suppressed] }]);
    expect(response.headers).toHaveProperty("X-Message-Id");
    expect(memory.emails.map(({ recipients }) => recipients)).toEqual([[zoe]]);
  });

  test("leave the response without an id when they concern all recipients", async () => {
    const memory = memoryServices();
    await add(memory, "unsubscribes", { recipients: [zoe] });
    const response = await send(memory);
    expect(response).toMatchObject({ status: 202, headers: {} });
    expect(jsonOf(response)["warnings"]).toMatchObject([{ type: "ALL_SUPPRESSED" }]);
    expect(memory.emails).toEqual([]);
  });

  test("are listed and removed by list", async () => {
    const memory = memoryServices();
    await add(memory, "spam-complaints", { recipients: [zoe, ada] });
    await add(memory, "unsubscribes", { recipients: [zoe] });
    const list = async (name: string): Promise<readonly { id: string }[]> =>
      jsonOf(await call(`GET /suppressions/${name}`, { memory }))["data"] as readonly { id: string }[];
    const [first, second] = await list("spam-complaints");
    expect(first).toMatchObject({ recipient: { email: zoe } });
    const remove = async (name: string, value: object): Promise<number> =>
      (await call(`DELETE /suppressions/${name}`, { memory, value })).status;
    expect(await remove("spam-complaints", { ids: [first?.id] })).toBe(200);
    expect(await list("spam-complaints")).toEqual([second]);
    expect(await remove("spam-complaints", { ids: [first?.id] })).toBe(422);
    expect(await remove("spam-complaints", {})).toBe(422);
    expect(await remove("spam-complaints", { all: true })).toBe(200);
    expect([await list("spam-complaints"), (await list("unsubscribes")).length]).toEqual([[], 1]);
  });

  test.each([
    ["hard-bounces", { recipients: [zoe], domain_id: undefined }, ["domain_id"]],
    ["blocklist", {}, ["recipients"]],
    ["unsubscribes", { recipients: ["x"] }, ["recipients.0"]],
    ["unsubscribes", { recipients: Array.from({ length: 1001 }, () => zoe) }, ["recipients"]],
  ])("are checked when they are added to %s", async (list, value, fields) => {
    expect(errorsOf(await add(memoryServices(), list, value))).toEqual(fields);
  });

  test("have no other lists", async () => {
    expect((await call("GET /suppressions/constructor")).status).toBe(404);
    expect((await call("POST /suppressions/on-hold-list")).status).toBe(405);
  });
});

describe("lists", () => {
  test("have pages with links", async () => {
    const memory = memoryServices();
    for (let count = 0; count < 12; count += 1) await send(memory, { subject: `Mail ${count}` });
    const page = async (number: string): Promise<unknown> =>
      jsonOf(
        await call("GET /messages", {
          memory,
          query: [
            ["page", number],
            ["limit", "10"],
          ],
        }),
      );
    const path = "http://localhost/providers/mailersend/v1/messages";
    expect(await page("1")).toMatchObject({
      links: { first: `${path}?page=1`, last: null, prev: null, next: `${path}?page=2` },
      meta: { current_page: 1, from: 1, to: 10, per_page: 10, path },
    });
    expect(await page("2")).toMatchObject({
      links: { prev: `${path}?page=1`, next: null },
      meta: { from: 11, to: 12 },
    });
    expect(await page("3")).toMatchObject({ data: [], meta: { from: null, to: null } });
  });

  test.each([
    ["limit", "9"],
    ["limit", "101"],
    ["page", "x"],
  ])("reject the %s %s", async (name, value) => {
    expect(errorsOf(await call("GET /messages", { query: [[name, value]] }))).toEqual([name]);
  });
});

describe("POST /sms", () => {
  const sms = { from: "+15550100", to: ["+447700900123", "+447700900124"], text: "Code {{ code }}" };

  test("stores an SMS for each number with its data", async () => {
    const memory = memoryServices();
    const personalization = [{ phone_number: "+447700900123", data: { code: 1 } }];
    expect((await call("POST /sms", { memory, value: { ...sms, personalization } })).status).toBe(202);
    expect(memory.sms.map(({ to, text }) => [to, text])).toEqual([
      ["+447700900123", 'Code {{ code }}|{"code":1}'],
      ["+447700900124", "Code {{ code }}"],
    ]);
  });

  test("rejects invalid numbers as MailerSend does", async () => {
    const response = await call("POST /sms", { value: { ...sms, from: "+1", to: ["x"] } });
    expect(jsonOf(response)).toEqual({
      message: "The from field contains an invalid number. (and 1 more error)",
      errors: {
        from: ["The from field contains an invalid number."],
        "to.0": ["The to.0 field contains an invalid number."],
      },
    });
  });

  test("stores nothing when one of several numbers is invalid or too many are given", async () => {
    const memory = memoryServices();
    const many = Array.from({ length: 51 }, () => "+447700900123");
    for (const to of [["+447700900123", "x"], many, []]) {
      expect((await call("POST /sms", { memory, value: { ...sms, to } })).status).toBe(422);
    }
    expect(memory.sms).toEqual([]);
  });

  test("does not find other SMS", async () => {
    expect((await call("GET /sms-messages/none")).status).toBe(404);
  });
});

describe("numbers of SMS", () => {
  const [from, zoe] = ["+15550100", "+447700900123"];
  const sent = async (): Promise<MemoryServices> => {
    const memory = memoryServices();
    await call("POST /sms", { memory, value: { from, to: [zoe, "+447700900124"], text: "Hi" } });
    return memory;
  };
  const idsIn = (response: ProviderResponse): readonly string[] =>
    (jsonOf(response)["data"] as readonly { id: string }[]).map(({ id }) => id);

  test("lists numbers that have sent, pauses and removes them", async () => {
    const memory = await sent();
    await call("POST /sms", { memory, value: { from, to: [zoe], text: "Again" } });
    const [id = "", ...others] = idsIn(await call("GET /sms-numbers", { memory }));
    expect(others).toEqual([]);
    const shown = { data: { id, telephone_number: from, paused: true, created_at: "2026-11-20T10:42:07.000000Z" } };
    expect(jsonOf(await call(`PUT /sms-numbers/${id}`, { memory, value: { paused: true } }))).toEqual(shown);
    expect(jsonOf(await call(`GET /sms-numbers/${id}`, { memory }))).toEqual(shown);
    expect(idsIn(await call("GET /sms-numbers", { memory, query: [["paused", "0"]] }))).toEqual([]);
    expect(errorsOf(await call(`PUT /sms-numbers/${id}`, { memory, value: { paused: "x" } }))).toEqual(["paused"]);
    expect((await call(`DELETE /sms-numbers/${id}`, { memory })).status).toBe(204);
    expect((await call(`GET /sms-numbers/${id}`, { memory })).status).toBe(404);
  });

  test("lists recipients, and sends them nothing after their exclusion", async () => {
    const memory = await sent();
    const [id = "", other = ""] = idsIn(await call("GET /sms-recipients", { memory }));
    const change = async (status: unknown) => call(`PUT /sms-recipients/${id}`, { memory, value: { status } });
    expect(jsonOf(await change("opt_out"))).toMatchObject({ data: { id, number: zoe, status: "opt_out" } });
    const list = async (status: string) => call("GET /sms-recipients", { memory, query: [["status", status]] });
    expect(idsIn(await list("opt_out"))).toEqual([id]);
    expect(idsIn(await list("active"))).toEqual([other]);
    expect(errorsOf(await list("gone"))).toEqual(["status"]);
    expect(errorsOf(await change("gone"))).toEqual(["status"]);
    const sms = { memory, value: { from, to: ["+447700900124", zoe], text: "Hi" } };
    expect(errorsOf(await call("POST /sms", sms))).toEqual(["to.1"]);
    await change("active");
    expect((await call("POST /sms", sms)).status).toBe(202);
    expect(jsonOf(await call(`GET /sms-recipients/${id}`, { memory }))).toMatchObject({
      data: { number: zoe, sms: [] },
    });
    expect((await call("GET /sms-recipients/none", { memory })).status).toBe(404);
  });

  test("lists no activity of an unknown number, or with another status", async () => {
    const memory = await sent();
    const activity = async (...query: readonly (readonly [string, string])[]) =>
      call("GET /sms-activity", { memory, query });
    expect(jsonOf(await activity(["sms_number_id", "none"]))).toMatchObject({ data: [] });
    expect(jsonOf(await activity(["status[]", "failed"]))).toMatchObject({ data: [] });
    expect(errorsOf(await activity(["date_from", "x"]))).toEqual(["date_from"]);
  });
});

test.each([
  ["/v1/email", "120"],
  ["/v1/bulk-email", "10"],
  ["/v1/messages", "60"],
])("a fault rule for the rate limit of %s names its limit", (path, limit) => {
  const context = { method: "POST", path, headers: {}, now: startInstant } as const;
  const { status, headers, ...response } = mailersend.faultResponse("rateLimited", context);
  expect([status, headers?.["x-ratelimit-limit"], headers?.["retry-after"]]).toEqual([429, limit, "1"]);
  expect(jsonOf({ status, ...response })["message"]).toContain(`rate limit of ${limit} requests/min`);
});

test("the daily quota ends at midnight", async () => {
  expect(jsonOf(await call("GET /api-quota"))).toMatchObject({ reset: "2026-11-21T00:00:00Z" });
});
