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
    from: "friend@outside.example",
    to: "customer@elsewhere.example",
    raw: "From: App <app@stranger.example>\r\nReply-To: other@stranger.example\r\nMessage-ID: <m@outside.example>\r\nSubject: News\r\n\r\nHello\r\n",
  });
});
afterAll(async () => api[Symbol.asyncDispose]());

const ask = (id: string, kind: string, body: unknown = {}): Promise<Reply> =>
  api.ask(`POST /api/messages/${id}/${kind}`, { body });
const rawOf = async (message: Message): Promise<string> => (await api.ask(`GET /api/files/email/${message.id}`)).body;
const sentCount = async (): Promise<number> =>
  (await api.ask(`GET /api/messages?server=${server.id}&dir=Sent&itemsPerPage=1000`)).json<unknown[]>().length;

/** Expects the properties that all simulated replies share. */
function expectAnswer(message: Message): void {
  expect(message).toMatchObject({
    server: server.id,
    to: [{ email: "friend@outside.example" }],
    metadata: { mailFrom: "", rcptTo: [{ email: "friend@outside.example" }] },
    delivery: { status: "Queued" },
  });
  const fields = message.metadata.headers.map(({ field, value }) => `${field.toLowerCase()}: ${value}`);
  expect(fields.some((field) => /^auto-submitted: auto-(replied|generated)$/.test(field))).toBe(true);
}

describe("POST /api/messages/:id/bounce", () => {
  test("sends a delivery status notification to the return path, with a null reverse-path", async () => {
    const message = (await ask(original, "bounce")).json<Message>();
    expectAnswer(message);
    expect(message.subject).toBe("Undelivered Mail Returned to Sender");
    const raw = await rawOf(message);
    expect(raw).toMatch(/^Content-Type: multipart\/report;\s+report-type=delivery-status/m);
    for (const line of [
      `Reporting-MTA: dns; ${server.id}.restante.test`,
      "Final-Recipient: rfc822; customer@elsewhere.example",
      "Action: failed",
      "Status: 5.1.1",
      "Diagnostic-Code: smtp; 550 5.1.1 No such user",
    ]) {
      expect(raw).toContain(`${line}\r\n`);
    }
    expect(raw).toContain("Message-ID: <m@outside.example>");
  });

  test("supports delays, a given status and diagnostic, and the header section only", async () => {
    const body = {
      action: "delayed",
      status: "4.2.2",
      diagnostic: "452 4.2.2 Mailbox full\r\nX: y",
      returns: "headers",
    };
    const raw = await rawOf((await ask(original, "bounce", body)).json<Message>());
    for (const line of ["Action: delayed", "Status: 4.2.2", "Diagnostic-Code: smtp; 452 4.2.2 Mailbox full X: y"]) {
      expect(raw).toContain(`${line}\r\n`);
    }
    expect(raw).toMatch(/^Will-Retry-Until: /m);
    expect(raw).not.toContain("Hello");
  });

  test.each([
    [{ action: "maybe" }, "action"],
    [{ status: "550" }, "status"],
    [{ status: "4.1.1" }, "status"],
    [{ action: "delayed", status: "5.1.1" }, "status"],
    [{ diagnostic: "x".repeat(501) }, "diagnostic"],
    [{ returns: 7 }, "returns"],
  ])("responds 400 without storing anything: %j", async (body, field) => {
    const before = await sentCount();
    const reply = await ask(original, "bounce", body);
    expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, field]);
    expect(await sentCount()).toBe(before);
  });
});

test("POST /api/messages/:id/complaint: sends a feedback report with the whole original", async () => {
  const message = (await ask(original, "complaint", { feedbackType: "fraud" })).json<Message>();
  expectAnswer(message);
  const raw = await rawOf(message);
  expect(raw).toMatch(/^Content-Type: multipart\/report;\s+report-type=feedback-report/m);
  for (const line of [
    "Feedback-Type: fraud",
    "Original-Mail-From: <friend@outside.example>",
    "Original-Rcpt-To: <customer@elsewhere.example>",
    "Source-IP: 127.0.0.1",
  ]) {
    expect(raw).toContain(`${line}\r\n`);
  }
  expect(raw).toContain("Hello\r\n");
});

test("POST /api/messages/:id/autoreply: sends an out-of-office reply in the thread, from the recipient of the mail", async () => {
  const message = (await ask(original, "autoreply", { text: "On holiday." })).json<Message>();
  expectAnswer(message);
  expect(message).toMatchObject({ subject: "Auto: News", from: [{ email: "customer@elsewhere.example" }] });
  expect(message.text.body).toContain("On holiday.");
  const headers = new Map(message.metadata.headers.map(({ field, value }) => [field.toLowerCase(), value]));
  expect([headers.get("in-reply-to"), headers.get("auto-submitted")]).toEqual(["<m@outside.example>", "auto-replied"]);
});

describe.each(["bounce", "complaint", "autoreply"])("%s", (kind) => {
  test("is delivered to an own server at once, without a relay", async () => {
    const to = `app@${server.id}.restante.test`;
    const id = await api.deliver(server, { from: to });
    expect((await ask(id, kind)).json<Message>()).toMatchObject({ delivery: { status: "Sent" } });
    const [received] = (await api.ask(`GET /api/messages?server=${server.id}`)).json<Message[]>();
    const detail = (await api.ask(`GET /api/messages/${received?.id ?? ""}`)).json<Message>();
    expect(detail).toMatchObject({ to: [{ email: to }], metadata: { mailFrom: "" } });
    const again = await ask(detail.id, kind);
    expect([again.statusCode, again.json<WireError>().errors[0]?.detail[0]?.code]).toEqual([400, "no_return_path"]);
  });

  test("is rejected for a null reverse-path, a sample, an SMS and a sent message", async () => {
    const sample = (await api.ask(`POST /api/messages?server=${server.id}`, { body: {} })).json<Message>().id;
    const text = { from: "App", to: "+15550100", text: "x" };
    const sms = (await api.ask("POST /api/sms", { body: text })).json<Message>().id;
    const sent = (await ask(original, "bounce")).json<Message>().id;
    const before = await sentCount();
    for (const id of [await api.deliver(server, { from: "" }), sample, sms, sent]) {
      expect((await ask(id, kind)).json()).toMatchObject({ status: 400, errors: [{ field: "id" }] });
    }
    expect(await sentCount()).toBe(before);
  });

  test("responds 400 for a return path that is not verified or not a plain address", async () => {
    const before = await sentCount();
    for (const from of ["x@stranger.example", '"friend@outside.example"@stranger.example', "local"]) {
      const reply = await ask(await api.deliver(server, { from }), kind);
      expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, "to"]);
    }
    expect(await sentCount()).toBe(before);
  });

  test("responds 404 for an unknown message", async () => {
    expect((await ask("6d1b9d4e-0000-4000-8000-000000000000", kind)).statusCode).toBe(404);
  });
});
