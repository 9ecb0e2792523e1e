import { describe, expect, test } from "vitest";
import { encodeMessageId, newServerId, type MessageId } from "../../core/ids.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { emptyMessage } from "../conformance/memory-mailbox.test-aid.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { memoryServices, startInstant, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { numberOfMessage, numberOfServer } from "./numeric-ids.ts";
import { mailtrap } from "./provider.ts";
import { mailtrapRequest } from "./samples.test-aid.ts";

interface Sent {
  readonly value?: unknown;
  readonly query?: readonly (readonly [string, string])[];
}

/** Sandbox with mails in memory. */
class TestSandbox {
  readonly memory: MemoryServices = memoryServices();
  readonly base = `/api/accounts/1/inboxes/${numberOfServer(this.memory.server)}`;

  async call(line: string, { value = {}, query = [] }: Sent = {}): Promise<ProviderResponse> {
    const [method = "", path = ""] = line.split(" ");
    const own = path.replace("~", this.base);
    const changes: Partial<ProviderRequest> = { method: method as ProviderMethod, path: own, fields: query };
    return callEndpoint(mailtrap, mailtrapRequest(value, validKey, changes), this.memory.services);
  }

  /** Adds a mail, received `second` seconds after the start, and returns its number. */
  add(second: number, members: Parameters<typeof emptyMessage>[1] = {}, random = 0): number {
    const receivedAt = startInstant + second * 1000;
    const id = encodeMessageId({ server: this.memory.server, direction: "Received", receivedAt, random });
    const raw = Buffer.from(`Subject: ${members.subject ?? ""}\r\n\r\n`);
    const message = emptyMessage(id, members);
    const marks = { flags: [], tags: [] };
    this.memory.mailbox.mails.push({ id, direction: "Received", message, marks, sizeBytes: raw.length, raw });
    return numberOfMessage(id);
  }

  async numbers(query: Sent["query"] = []): Promise<readonly number[]> {
    const list = jsonOf(await this.call("GET ~/messages", { query })) as unknown as readonly { readonly id: number }[];
    return list.map(({ id }) => id);
  }
}

const contact = (email: string, name = ""): { readonly email: string; readonly name: string; readonly phone: null } => {
  return { email, name, phone: null };
};
const html = (body: string) => ({ html: { links: [], codes: [], images: [], body } });

describe("sandboxes", () => {
  test("are the servers of the caller, with their counts", async () => {
    const sandbox = new TestSandbox();
    sandbox.add(1);
    const id = numberOfServer(sandbox.memory.server);
    const counts = { emails_count: 1, emails_unread_count: 1, last_message_sent_at: "2026-11-20T10:42:08.000Z" };
    expect(jsonOf(await sandbox.call("GET /api/accounts/1/inboxes"))).toMatchObject([{ id, ...counts }]);
    expect(jsonOf(await sandbox.call("GET ~"))).toMatchObject({ id, project_id: 1 });
    expect(jsonOf(await sandbox.call("GET /api/accounts/1/projects"))).toMatchObject([{ id: 1, inboxes: [{ id }] }]);
    expect(jsonOf(await sandbox.call("GET /api/accounts/1/projects/1"))).toMatchObject({ inboxes: [{ id }] });
    expect(jsonOf(await sandbox.call("GET /api/accounts"))).toMatchObject([{ id: 1 }]);
  });

  test.each([
    "GET /api/accounts/1/inboxes/1",
    "GET /api/accounts/1/inboxes/x/messages",
    "PATCH /api/accounts/1/inboxes/99999999999999999/clean",
    "GET /api/accounts/1/projects/2",
  ])("do not exist for %s", async (line) => {
    const response = await new TestSandbox().call(line);
    expect([response.status, jsonOf(response)]).toEqual([404, { error: "Not Found" }]);
  });

  test("mark all mails as read, and delete all", async () => {
    const sandbox = new TestSandbox();
    for (let second = 0; second < 3; second += 1) sandbox.add(second);
    expect(jsonOf(await sandbox.call("PATCH ~/all_read"))).toMatchObject({ emails_count: 3, emails_unread_count: 0 });
    expect(jsonOf(await sandbox.call("PATCH ~/clean"))).toMatchObject({ emails_count: 0, used: false });
    expect(sandbox.memory.mailbox.mails).toEqual([]);
  });
});

describe("lists of mails", () => {
  test("have 30 mails of a page, newest first", async () => {
    const sandbox = new TestSandbox();
    const added = Array.from({ length: 65 }, (_, second) => sandbox.add(second)).toReversed();
    expect(await sandbox.numbers()).toEqual(added.slice(0, 30));
    expect(await sandbox.numbers([["page", "3"]])).toEqual(added.slice(60));
  });

  test("continue after last_id", async () => {
    const sandbox = new TestSandbox();
    const [oldest, middle, newest] = [sandbox.add(1), sandbox.add(2), sandbox.add(3)];
    expect(await sandbox.numbers([["last_id", String(newest)]])).toEqual([middle, oldest]);
    expect(await sandbox.numbers([["last_id", String(oldest)]])).toEqual([]);
    expect((await sandbox.call("GET ~/messages", { query: [["last_id", "x"]] })).status).toBe(422);
  });

  test("find parts of subjects, and of names and addresses of recipients", async () => {
    const sandbox = new TestSandbox();
    const first = sandbox.add(1, { subject: "Your ORDER 42" });
    const second = sandbox.add(2, { to: [contact("zoe@shop.example", "Zoë")], from: [contact("order@app.example")] });
    expect(await sandbox.numbers([["search", "order"]])).toEqual([first]);
    expect(await sandbox.numbers([["search", "zoe@shop"]])).toEqual([second]);
    expect(await sandbox.numbers([["search", "Zoë"]])).toEqual([second]);
  });
});

describe("a mail", () => {
  test("is shown, marked and deleted", async () => {
    const sandbox = new TestSandbox();
    const to = [contact("zoe@shop.example", "Zoë"), contact("ada@shop.example")];
    const id = sandbox.add(1, {
      subject: "Hello",
      from: [contact("app@app.example", "App")],
      to,
      ...html("<p>Hi</p>"),
    });
    const path = `${sandbox.base}/messages/${id}`;
    const shown = { id, subject: "Hello", from_name: "App", to_email: "zoe@shop.example", to_name: "Zoë" };
    expect(jsonOf(await sandbox.call(`GET ${path}`))).toMatchObject({
      ...shown,
      inbox_id: numberOfServer(sandbox.memory.server),
      is_read: false,
      html_body_size: 9,
      html_path: `${path}/body.html`,
      human_size: "18 Bytes",
    });
    const mark = async (value: unknown): Promise<unknown> =>
      jsonOf(await sandbox.call(`PATCH ${path}`, { value: { message: { is_read: value } } }));
    expect(await mark(true)).toMatchObject({ is_read: true });
    expect(await mark("false")).toMatchObject({ is_read: false });
    expect(await mark(1)).toEqual({ errors: "is_read is invalid" });
    expect(jsonOf(await sandbox.call(`DELETE ${path}`))).toMatchObject(shown);
    expect((await sandbox.call(`GET ${path}`)).status).toBe(404);
  });

  test("is told from others of the same millisecond", async () => {
    const sandbox = new TestSandbox();
    const [first, second] = [sandbox.add(1, { subject: "One" }, 0), sandbox.add(1, { subject: "Two" }, 1024)];
    expect(first).not.toBe(second);
    expect(jsonOf(await sandbox.call(`GET ~/messages/${second}`))).toMatchObject({ subject: "Two" });
  });

  test("has bodies that a browser does not run, and its source", async () => {
    const sandbox = new TestSandbox();
    const id = sandbox.add(1, { subject: "Hi", ...html("<p>Hi</p>") });
    const get = async (name: string): Promise<ProviderResponse> => sandbox.call(`GET ~/messages/${id}/${name}`);
    const body = { contentType: "text/html; charset=utf-8", text: "<p>Hi</p>" };
    for (const name of ["body.html", "body.htmlsource"]) expect(await get(name)).toMatchObject({ status: 200, body });
    expect((await get("body.html")).headers?.["content-security-policy"]).toContain("sandbox");
    expect((await get("body.txt")).status).toBe(404);
    const bytes = Buffer.from("Subject: Hi\r\n\r\n");
    expect(await get("body.raw")).toMatchObject({ body: { contentType: "text/plain; charset=utf-8", bytes } });
    expect(await get("body.eml")).toMatchObject({ body: { contentType: "message/rfc822", bytes } });
  });

  test("shows the first header field of each name", async () => {
    const sandbox = new TestSandbox();
    const headers = ["Subject: Hi", "X-Order: 1", "X-Order: 2"].map((line) => {
      const [field = "", value = ""] = line.split(": ");
      return { field, value };
    });
    const id = sandbox.add(1, { metadata: { headers, ehlo: null, mailFrom: "a@app.example", rcptTo: [] } });
    const shown = jsonOf(await sandbox.call(`GET ~/messages/${id}/mail_headers`));
    expect(shown).toEqual({ headers: { subject: "Hi", x_order: "1" } });
    expect(jsonOf(await sandbox.call(`GET ~/messages/${id}`))).toMatchObject({
      smtp_information: { ok: true, data: { mail_from_addr: "a@app.example" } },
    });
  });

  test("has a spam report and an analysis of its HTML", async () => {
    const sandbox = new TestSandbox();
    const id = sandbox.add(1);
    const get = async (name: string): Promise<unknown> => jsonOf(await sandbox.call(`GET ~/messages/${id}/${name}`));
    expect(await get("spam_report")).toMatchObject({ report: { Score: 0, Spam: false, Threshold: 5, Details: [] } });
    expect(await get("analyze")).toEqual({ report: { status: "error", msg: "The message has no HTML part" } });
  });

  test.each(["", "/body.html", "/mail_headers", "/spam_report", "/analyze", "/attachments", "/attachments/1"])(
    "does not exist for %s below an unknown number",
    async (end) => {
      const sandbox = new TestSandbox();
      for (const number of ["1", "x", "99999999999999999"]) {
        expect((await sandbox.call(`GET ~/messages/${number}${end}`)).status).toBe(404);
      }
    },
  );
});

describe("attachments", () => {
  test("are listed by type and named by their position", async () => {
    const sandbox = new TestSandbox();
    const id = "0199aabb-ccdd-8eee-8fff-001122334455" as never;
    const file = { id, contentType: "text/plain", fileName: "a.txt", contentId: null, length: 1280, url: "" };
    const attachments = [file, { ...file, fileName: "b.png", contentId: "logo" }];
    const mail = sandbox.add(1, { attachments });
    const list = async (query: Sent["query"] = []): Promise<unknown> =>
      jsonOf(await sandbox.call(`GET ~/messages/${mail}/attachments`, { query }));
    expect(await list()).toMatchObject([
      { id: 1, filename: "a.txt", attachment_type: "attachment", attachment_human_size: "1.25 KB" },
      { id: 2, filename: "b.png", attachment_type: "inline", content_id: "logo" },
    ]);
    expect(await list([["attachment_type", "inline"]])).toMatchObject([{ id: 2 }]);
    expect(jsonOf(await sandbox.call(`GET ~/messages/${mail}/attachments/2`))).toMatchObject({ filename: "b.png" });
    expect((await sandbox.call(`GET ~/messages/${mail}/attachments/3`)).status).toBe(404);
  });
});

describe("POST /api/send/:inbox", () => {
  const valid = {
    from: { email: "a@app.example" },
    to: [{ email: "zoe@other.example" }],
    subject: "Hello",
    text: "Hi",
  };

  test("stores the mail in the server of the sandbox, and responds with its number", async () => {
    const sandbox = new TestSandbox();
    const inbox = numberOfServer(sandbox.memory.server);
    const response = jsonOf(await sandbox.call(`POST /api/send/${inbox}`, { value: valid }));
    const [email] = sandbox.memory.emails;
    expect(email).toMatchObject({ server: sandbox.memory.server, recipients: ["zoe@other.example"] });
    expect(response).toEqual({ success: true, message_ids: [String(numberOfMessage(email?.uuid as MessageId))] });
    const batch = await sandbox.call(`POST /api/batch/${inbox}`, { value: { requests: [valid, {}] } });
    const message_ids = [String(numberOfMessage(sandbox.memory.emails[1]?.uuid as MessageId))];
    expect(jsonOf(batch)).toMatchObject({ responses: [{ success: true, message_ids }, { success: false }] });
  });

  test.each(["x", numberOfServer("zzzzzzzz" as never) + 1])("rejects the sandbox %s", async (inbox) => {
    const sandbox = new TestSandbox();
    const response = await sandbox.call(`POST /api/send/${inbox}`, { value: valid });
    expect([response.status, jsonOf(response)]).toEqual([404, { success: false, errors: ["Not Found"] }]);
    expect(sandbox.memory.emails).toEqual([]);
  });
});

test("the number of a message is exact until 2039", () => {
  const server = newServerId();
  const last = encodeMessageId({ server, direction: "Received", receivedAt: Date.UTC(2039, 0), random: 0xffff_ffff });
  expect(Number.isSafeInteger(numberOfMessage(last))).toBe(true);
});
