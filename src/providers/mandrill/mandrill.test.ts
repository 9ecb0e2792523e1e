import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EmailDraft } from "../email.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, startInstant, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { mandrill } from "./provider.ts";
import { fillRegions } from "./templates.ts";

interface Answer {
  readonly status: number;
  readonly value: unknown;
}

async function call(memory: MemoryServices, path: string, value: object = {}): Promise<Answer> {
  const request = jsonRequest({ ...value, key: validKey }, { path: `/api/1.0/${path}` });
  const { status, body } = await callEndpoint(mandrill, request, memory.services);
  return { status, value: JSON.parse(body?.text ?? "null") as unknown };
}

const message = {
  from_email: "app@shop.example",
  from_name: "Shop",
  subject: "Hello *|NAME|*",
  text: "Hi *|NAME|*",
  to: [
    { email: "zoe@shop.example", name: "Zoë" },
    { email: "ada@shop.example", type: "cc" },
  ],
};

function drafts({ emails }: MemoryServices): readonly EmailDraft[] {
  return emails.map(({ content }) => content as EmailDraft);
}

async function send(memory: MemoryServices, changes: object = {}, more: object = {}): Promise<readonly unknown[]> {
  return (await call(memory, "messages/send", { message: { ...message, ...changes }, ...more })).value as unknown[];
}

describe("messages/send", () => {
  test("sends a mail of its own to each recipient, who see nobody else", async () => {
    const memory = memoryServices();
    const results = await send(memory);
    expect(drafts(memory)).toMatchObject([
      { to: [{ name: "Zoë", address: "zoe@shop.example" }], cc: [], bcc: [] },
      { to: [{ name: "", address: "ada@shop.example" }], cc: [], bcc: [] },
    ]);
    const ids = memory.emails.map(({ uuid }) => uuid.replaceAll("-", ""));
    const sent = { status: "sent", reject_reason: null, queued_reason: null };
    expect(results).toEqual([
      { email: "zoe@shop.example", ...sent, _id: ids[0] },
      { email: "ada@shop.example", ...sent, _id: ids[1] },
    ]);
  });

  test("sends one mail to recipients that see each other, and several when they have variables of their own", async () => {
    const memory = memoryServices();
    const results = await send(memory, { preserve_recipients: true });
    expect(new Set(results.map((one) => (one as { _id: string })._id)).size).toBe(1);
    const shown = { to: [{ address: "zoe@shop.example" }], cc: [{ address: "ada@shop.example" }] };
    expect(drafts(memory)).toMatchObject([shown]);
    const merge_vars = [{ rcpt: "ZOE@shop.example", vars: [{ name: "name", content: "Zoë" }] }];
    await send(memory, { preserve_recipients: true, merge_vars });
    expect(drafts(memory)).toMatchObject([shown, shown, shown]);
    expect(memory.emails.slice(1).map(({ recipients }) => recipients)).toEqual([
      ["zoe@shop.example"],
      ["ada@shop.example"],
    ]);
  });

  test("evaluates the merge tags of subject, sender and bodies with the variables of each recipient", async () => {
    const memory = memoryServices();
    const global_merge_vars = [
      { name: "name", content: "you" },
      { name: "count", content: 3 },
    ];
    const merge_vars = [{ rcpt: "zoe@shop.example", vars: [{ name: "name", content: "Zoë" }] }];
    await send(memory, { global_merge_vars, merge_vars, merge_language: "handlebars" });
    expect(memory.templateJobs).toEqual(
      ["Zoë", "you"].map((name) => ({
        language: "filter-handlebars",
        sources: { subject: "Hello *|NAME|*", text: "Hi *|NAME|*", name: "Shop" },
        data: { CURRENT_YEAR: "2026", name, count: 3 },
      })),
    );
    await send(memory, {});
    expect(memory.templateJobs).toHaveLength(2);
    await send(memory, { merge: true, to: message.to.slice(1) });
    expect(memory.templateJobs[2]).toMatchObject({ language: "merge-tags", data: { CURRENT_YEAR: "2026" } });
  });

  test("stores the metadata of each recipient, and a copy for another address", async () => {
    const memory = memoryServices();
    const recipient_metadata = [{ rcpt: "ada@shop.example", values: { user: 7, plan: "free" } }];
    await send(memory, {
      metadata: { plan: "pro", a: { b: 1 }, none: null },
      recipient_metadata,
      bcc_address: "audit@shop.example",
    });
    expect(memory.emails.map(({ facts }) => facts.metadata)).toEqual([
      { plan: "pro", a: '{"b":1}', none: "" },
      { plan: "free", a: '{"b":1}', none: "", user: "7" },
    ]);
    expect(memory.emails.map(({ recipients }) => recipients)).toEqual([
      ["zoe@shop.example", "audit@shop.example"],
      ["ada@shop.example", "audit@shop.example"],
    ]);
  });

  test("marks important mail, names the subaccount, and makes a text when asked to", async () => {
    const memory = memoryServices();
    const html = "<p>Hi</p><p>there</p>";
    const changes = { html, text: null, auto_text: true, important: true, subaccount: "customer-1" };
    await send(memory, { ...changes, headers: { "Reply-To": "a@b.example, c@d.example", "X-Order": 7 } });
    expect(drafts(memory)[0]).toMatchObject({
      text: expect.stringMatching(/^Hi\s+there\s*$/) as string,
      replyTo: [{ address: "a@b.example" }, { address: "c@d.example" }],
      headers: [
        ["X-Order", "7"],
        ["X-Priority", "1"],
        ["X-MSMail-Priority", "High"],
        ["Importance", "High"],
        ["X-MC-Subaccount", "customer-1"],
      ],
    });
  });

  test.each([
    [{}, { async: true }, "queued", null],
    [{ attachments: [{ name: "a.txt", content: "SG\nkK" }] }, {}, "queued", "attachments"],
    [
      { to: Array.from({ length: 11 }, (_none, at) => ({ email: `a${String(at)}@b.example` })) },
      {},
      "queued",
      "multiple-recipients",
    ],
    [{}, { send_at: "2026-11-20 10:42:06" }, "sent", null],
    [{}, { send_at: "2026-11-20 10:42:08" }, "scheduled", null],
  ])("reports a send of %j with %j as %s", async (...[changes, more, status, queued_reason]) => {
    const results = await send(memoryServices(), changes, more);
    expect(results[0]).toMatchObject({ status, queued_reason });
  });

  test("reports rejected and invalid recipients beside those that get a mail", async () => {
    const memory = memoryServices();
    await call(memory, "rejects/add", { email: "Zoe@shop.example", comment: "left" });
    await call(memory, "rejects/add", { email: "ada@shop.example", subaccount: "other" });
    const results = await send(memory, { to: [...message.to, { email: "nobody" }, { email: "ADA@shop.example" }] });
    expect(results).toMatchObject([
      { email: "zoe@shop.example", status: "rejected", reject_reason: "custom" },
      { email: "ada@shop.example", status: "sent" },
      { email: "nobody", status: "invalid" },
    ]);
    expect(await send(memory, { subaccount: "other" })).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    expect(memory.emails).toHaveLength(1);
  });

  test("rejects a request whose mails are too large together", async () => {
    const memory = memoryServices();
    const content = Buffer.alloc(600_000).toString("base64");
    const to = Array.from({ length: 100 }, (_none, at) => ({ email: `a${String(at)}@b.example` }));
    const { status, value } = await call(memory, "messages/send", {
      message: { ...message, to, attachments: [{ name: "a.bin", content }] },
    });
    expect([status, value]).toMatchObject([500, { name: "ValidationError" }]);
    expect(memory.emails).toEqual([]);
  });
});

describe("messages/send-raw", () => {
  const raw_message = "From: app@shop.example\r\nTo: zoe@shop.example\r\nX-MC-Tags: a, b\r\nSubject: Raw\r\n\r\nHi\r\n";

  test("stores the mail as it is, for the recipients of the request or of the mail", async () => {
    const memory = memoryServices();
    await call(memory, "messages/send-raw", { raw_message });
    const to = ["ada@shop.example", "nobody"];
    const { value } = await call(memory, "messages/send-raw", { raw_message, from_email: "b@shop.example", to });
    expect(value).toMatchObject([
      { email: "ada@shop.example", status: "sent" },
      { email: "nobody", status: "invalid" },
    ]);
    expect(memory.emails).toMatchObject([
      { mailFrom: "app@shop.example", recipients: ["zoe@shop.example"], facts: { tags: ["a", "b"] }, messageId: null },
      { mailFrom: "b@shop.example", recipients: ["ada@shop.example"] },
    ]);
    expect(Buffer.from(memory.emails[0]?.content as Uint8Array).toString()).toBe(raw_message);
  });

  test("lists a scheduled mail by its subject", async () => {
    const memory = memoryServices();
    await call(memory, "messages/send-raw", { raw_message, send_at: "2027-01-01 00:00:00" });
    expect((await call(memory, "messages/list-scheduled")).value).toMatchObject([{ subject: "Raw" }]);
  });
});

describe("scheduled messages", () => {
  const later = { send_at: "2026-12-01 08:00:00" };

  test("are listed, rescheduled and cancelled, and unknown afterwards", async () => {
    const memory = memoryServices();
    const [first, second] = (await send(memory, {}, later)) as readonly { readonly _id: string }[];
    const shown = {
      _id: first?._id,
      created_at: "2026-11-20 10:42:07",
      send_at: "2026-12-01 08:00:00",
      from_email: "app@shop.example",
      to: "zoe@shop.example",
      subject: "Hello *|NAME|*",
    };
    expect((await call(memory, "messages/list-scheduled", { to: "zoe@shop.example" })).value).toEqual([shown]);
    const changed = await call(memory, "messages/reschedule", { id: first?._id, send_at: "2026-12-02 08:00:00" });
    expect(changed.value).toEqual({ ...shown, send_at: "2026-12-02 08:00:00" });
    expect(memory.emails.map(({ sendAt }) => sendAt)).toEqual([Date.UTC(2026, 11, 2, 8), Date.UTC(2026, 11, 1, 8)]);
    const cancelled = await call(memory, "messages/cancel-scheduled", { id: second?._id });
    expect(cancelled).toMatchObject({ status: 200, value: { to: "ada@shop.example" } });
    expect(await call(memory, "messages/cancel-scheduled", { id: second?._id })).toEqual({
      status: 500,
      value: {
        status: "error",
        code: 11,
        name: "Unknown_Message",
        message: `No message exists with the id '${second?._id ?? ""}'`,
      },
    });
    expect((await call(memory, "messages/list-scheduled")).value).toHaveLength(1);
    expect(await call(memory, "messages/info", { id: first?._id })).toMatchObject({ status: 500 });
  });

  test("are not listed after they have arrived", async () => {
    const memory = memoryServices();
    await send(memory, {}, later);
    memory.now = Date.UTC(2026, 11, 1, 9);
    expect((await call(memory, "messages/list-scheduled")).value).toEqual([]);
  });

  test("need an instant within a year", async () => {
    const { value } = await call(memoryServices(), "messages/send", { message, send_at: "2028-01-01 00:00:00" });
    expect(value).toMatchObject({
      code: -2,
      message: 'Validation error: {"send_at":"The date must be within a year"}',
    });
  });
});

describe("sent messages", () => {
  test("are read back, and found by words, fields, tags and senders", async () => {
    const memory = memoryServices();
    await send(memory, { tags: ["receipt"], metadata: { order: 7 }, to: message.to.slice(0, 1) });
    await send(memory, { from_email: "b@shop.example", subject: "Other", to: message.to.slice(1) });
    const id = memory.emails[0]?.providerId;
    expect((await call(memory, "messages/info", { id })).value).toEqual({
      ts: startInstant / 1000,
      _id: id,
      sender: "app@shop.example",
      template: null,
      subject: "Hello *|NAME|*",
      email: "zoe@shop.example",
      tags: ["receipt"],
      opens: 0,
      opens_detail: [],
      clicks: 0,
      clicks_detail: [],
      state: "sent",
      metadata: { order: "7" },
      smtp_events: [{ ts: startInstant / 1000, type: "sent", diag: "250 2.0.0 OK" }],
    });
    expect((await call(memory, "messages/content", { id })).value).toMatchObject({
      from_email: "app@shop.example",
      from_name: "Shop",
      to: { email: "zoe@shop.example", name: "Zoë" },
      text: "Hi *|NAME|*",
      html: null,
      attachments: [],
    });
    const found = async (search: object): Promise<unknown> => {
      const { value } = await call(memory, "messages/search", search);
      return (value as readonly { subject: string }[]).map((one) => one.subject);
    };
    expect(await found({ query: "*" })).toEqual(["Other", "Hello *|NAME|*"]);
    expect(await found({ query: "hello zoe@shop.example" })).toEqual(["Hello *|NAME|*"]);
    expect(await found({ query: "sender:b@shop.example AND subject:other" })).toEqual(["Other"]);
    expect(await found({ tags: ["none", "receipt"], limit: 5 })).toEqual(["Hello *|NAME|*"]);
    expect(await found({ senders: ["b@shop.example"] })).toEqual(["Other"]);
    expect(await found({ limit: 1 })).toEqual(["Other"]);
    expect(await found({ query: "nothing" })).toEqual([]);
  });
});

describe("templates", () => {
  const code = '<div mc:edit="main">Default</div><p>*|NAME|*</p>';
  const template = {
    name: "Order Receipt!",
    from_email: "app@shop.example",
    from_name: "Shop",
    subject: "S *|NAME|*",
    code,
  };

  test("are created, used by name and slug with regions, changed as a draft, published, listed and removed", async () => {
    const memory = memoryServices();
    const added = await call(memory, "templates/add", { ...template, labels: ["orders"] });
    expect(added.value).toEqual({
      slug: "order-receipt",
      name: "Order Receipt!",
      labels: ["orders"],
      code,
      subject: "S *|NAME|*",
      from_email: "app@shop.example",
      from_name: "Shop",
      text: null,
      publish_name: "Order Receipt!",
      publish_code: code,
      publish_subject: "S *|NAME|*",
      publish_from_email: "app@shop.example",
      publish_from_name: "Shop",
      publish_text: null,
      published_at: "2026-11-20 10:42:07",
      created_at: "2026-11-20 10:42:07",
      updated_at: "2026-11-20 10:42:07",
      is_broken_template: false,
    });
    await call(memory, "templates/update", { name: "order-receipt", subject: "Draft", publish: false });
    const use = async (template_name: string): Promise<void> => {
      const template_content = [{ name: "main", content: "<b>New</b>" }];
      const value = { to: [{ email: "zoe@shop.example" }] };
      expect(
        await call(memory, "messages/send-template", { template_name, template_content, message: value }),
      ).toMatchObject({ status: 200 });
    };
    await use("Order Receipt!");
    await call(memory, "templates/publish", { name: "order-receipt" });
    await use("order-receipt");
    const shown = { from: { name: "Shop", address: "app@shop.example" }, html: "<div><b>New</b></div><p>*|NAME|*</p>" };
    expect(drafts(memory)).toMatchObject([
      { ...shown, subject: "S *|NAME|*" },
      { ...shown, subject: "Draft" },
    ]);
    expect(memory.emails[1]?.facts.template).toEqual({ id: "order-receipt", data: {} });
    const listed = async (label: string): Promise<unknown> => (await call(memory, "templates/list", { label })).value;
    expect([await listed("orders"), await listed("none")]).toMatchObject([[{ slug: "order-receipt" }], []]);
    expect((await call(memory, "templates/delete", { name: "order-receipt" })).value).toMatchObject({
      subject: "Draft",
    });
    expect((await call(memory, "templates/info", { name: "order-receipt" })).value).toMatchObject({ code: 5 });
  });

  test("are rendered with their regions and variables", async () => {
    const memory = memoryServices();
    await call(memory, "templates/add", template);
    const request = { template_name: "order-receipt", template_content: [] };
    expect((await call(memory, "templates/render", request)).value).toEqual({
      html: "<div>Default</div><p>*|NAME|*</p>",
    });
    const merge_vars = [{ name: "name", content: "Zoë" }];
    await call(memory, "templates/render", { ...request, merge_vars });
    expect(memory.templateJobs).toEqual([
      {
        language: "merge-tags",
        sources: { html: "<div>Default</div><p>*|NAME|*</p>" },
        data: { CURRENT_YEAR: "2026", name: "Zoë" },
      },
    ]);
  });

  test.each([
    ["templates/add", { name: "Order receipt" }, 6, 'A template with name "Order receipt" already exists'],
    ["templates/add", { name: "!" }, -2, 'Validation error: {"name":"Please enter 1 to 160 characters"}'],
    ["templates/add", {}, -1, "You must specify a name value"],
    ["templates/update", { name: "none" }, 5, 'No such template "none"'],
    ["messages/send-template", { template_name: "draft", message }, 5, 'No such template "draft"'],
  ])("%s with %j is rejected with %d", async (...[path, value, code, text]) => {
    const memory = memoryServices();
    await call(memory, "templates/add", template);
    await call(memory, "templates/add", { name: "draft", code: "x", publish: false });
    expect(await call(memory, path, value)).toMatchObject({ status: 500, value: { code, message: text } });
  });
});

describe("regions of templates", () => {
  const contents = new Map([["main", "NEW"]]);

  test.each([
    ["<div mc:edit='main' class=a><div>x</div><br/></div>y", "<div class=a>NEW</div>y"],
    ['<DIV class="a" MC:EDIT="main">x</div>', '<DIV class="a">NEW</div>'],
    ['<div mc:edit="main"><p mc:edit="other">x</p></div>', "<div>NEW</div>"],
    ['<p mc:edit="other">x</p>', "<p>x</p>"],
    ['<img mc:edit="main" src="a"/>', '<img src="a"/>'],
    ['<div mc:edit="main">x', "<div>x"],
    ['<p mc:edit="main">x<p mc:edit="other">y</p>z</p>', "<p>NEW</p>"],
  ])("%s becomes %s", (html, expected) => {
    expect(fillRegions(html, contents)).toBe(expected);
  });

  test("take linear time for regions without an end", () => {
    const cpuOf = (count: number): number => {
      const start = process.cpuUsage();
      fillRegions('<p mc:edit="main">'.repeat(count), contents);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    cpuOf(1000);
    // Quadratic time would be 1600 times as long.
    expect(cpuOf(40_000)).toBeLessThan(400 * (cpuOf(1000) + 5000));
  });

  test("never fail on any HTML", () => {
    const part = fc.constantFrom("<div", ' mc:edit="main"', ">", "</div>", "<", "'", '"', "x", "/");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        expect(typeof fillRegions(parts.join(""), contents)).toBe("string");
      }),
    );
  });
});

test("the reject list has entries of the account and of subaccounts", async () => {
  const memory = memoryServices();
  await call(memory, "rejects/add", { email: "Zoe@shop.example", comment: "left" });
  await call(memory, "rejects/add", { email: "zoe@shop.example", subaccount: "one" });
  const { value } = await call(memory, "rejects/list", { email: "ZOE@shop.example" });
  const at = "2026-11-20 10:42:07";
  const shown = { email: "zoe@shop.example", reason: "custom", created_at: at, last_event_at: at, expired: false };
  expect(value).toMatchObject([
    { ...shown, detail: "left", subaccount: null },
    { ...shown, detail: "", subaccount: "one" },
  ]);
  expect((await call(memory, "rejects/list", { subaccount: "one" })).value).toHaveLength(1);
  const deleted = { email: "zoe@shop.example", deleted: true, subaccount: null };
  expect((await call(memory, "rejects/delete", { email: "zoe@shop.example" })).value).toEqual(deleted);
  expect((await call(memory, "rejects/delete", { email: "zoe@shop.example" })).value).toMatchObject({ code: 3 });
  expect((await call(memory, "rejects/add", { email: "x" })).value).toMatchObject({ code: -2 });
});

test("the account, its senders and their domains are those of the mails", async () => {
  const memory = memoryServices();
  expect((await call(memory, "users/ping")).value).toBe("PONG!");
  expect((await call(memory, "users/ping2")).value).toEqual({ PING: "PONG!" });
  expect((await call(memory, "users/info")).value).toMatchObject({ username: "restante" });
  await send(memory);
  const senders = [{ address: "app@shop.example", sent: 2, created_at: "2026-11-20 10:42:07" }];
  expect((await call(memory, "senders/list")).value).toMatchObject(senders);
  expect((await call(memory, "users/senders")).value).toMatchObject(senders);
  expect((await call(memory, "senders/domains")).value).toMatchObject([
    { domain: "shop.example", valid_signing: true },
  ]);
});

test("every path exists in every version, with and without .json", async () => {
  const memory = memoryServices();
  for (const path of ["/api/1.0/users/ping.json", "/api/1.3/users/ping", "/api/1.4/users/ping.json"]) {
    const request = jsonRequest({ key: validKey }, { path });
    expect((await callEndpoint(mandrill, request, memory.services)).body?.text).toBe('"PONG!"');
  }
});

test.each([
  [{ key: "wrong" }, 401, { status: "error", code: 401, name: "Invalid_Key", message: "Invalid API key" }],
  [{}, 500, { status: "error", code: -1, name: "ValidationError", message: "You must specify a key value" }],
  [{ key: 1 }, 500, { status: "error", code: -1, name: "ValidationError", message: "You must specify a key value" }],
])("rejects a request with %j", async (value, status, error) => {
  const request = jsonRequest(value, { path: "/api/1.0/users/ping" });
  const response = await callEndpoint(mandrill, request, memoryServices().services);
  expect([response.status, JSON.parse(response.body?.text ?? "")]).toEqual([status, error]);
});
