import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WireAuditEntry } from "../../wire/account-schema.ts";
import type { UnsubscribeReport } from "../../../core/unsubscribe.ts";
import { openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { HttpTestServer, TestServer } from "../../../testing/http-test-server.test-aid.ts";
import { createSigner, signMail } from "../../../testing/sign-mail.ts";

/** Request that the target received. */
interface Received {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let api: HttpTestServer;
let server: TestServer;
let origin: string;
let received: Received[] = [];
let answer: { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
const target = createServer((request, response) => {
  void (async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
    const line = `${request.method ?? ""} ${request.url ?? ""}`;
    received.push({ line, headers: request.headers, body: Buffer.concat(chunks).toString() });
    if (answer.status === 0) request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  })();
});
const signer = createSigner("shop.example");
const other = createSigner("mailer.example");

beforeAll(async () => {
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  origin = `http://127.0.0.1:${String((target.address() as AddressInfo).port)}`;
  api = await openHttpTestServer();
  server = await api.addServer();
  await api.ask(`PUT /api/servers/${server.id}/dns`, { body: { zone: `${signer.zoneLine}\n${other.zoneLine}\n` } });
});
afterAll(async () => {
  target.close();
  await api[Symbol.asyncDispose]();
});
beforeEach(() => {
  received = [];
  answer = { status: 204 };
});

const head = "From: Shop <news@shop.example>\r\nTo: <ann@a.example>\r\nSubject: News\r\n";
const post = "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
const mail = (fields: string): string => `${head}${fields}\r\nHi\r\n`;
const usual = (): string => `List-Unsubscribe: <mailto:stop@shop.example>, <${origin}/u?id=17>\r\n${post}`;

async function unsubscribe(raw: string, body: unknown = {}): Promise<UnsubscribeReport> {
  const id = await api.deliver(server, { raw });
  const reply = await api.ask(`POST /api/messages/${id}/unsubscribe`, { key: server.key, body });
  expect(reply.statusCode).toBe(200);
  return reply.json<UnsubscribeReport>();
}

const failed = ({ checks }: UnsubscribeReport): readonly string[] =>
  checks.filter(({ result }) => result === "fail").map(({ name }) => name);

describe("POST /api/messages/:id/unsubscribe", () => {
  test("posts the body of RFC 8058 without cookies and credentials, and reports each check", async () => {
    const report = await unsubscribe(mail(usual()));
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ line: "POST /u?id=17", body: "List-Unsubscribe=One-Click" });
    expect(received[0]?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(Object.keys(received[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(["cookie"]));
    expect(received[0]?.headers.authorization).toBeUndefined();
    const { checks, response, ...others } = report;
    expect(others).toEqual({
      ok: true,
      url: `${origin}/u?id=17`,
      mailto: ["mailto:stop@shop.example"],
      dkim: "none",
    });
    expect(checks.map(({ name, result }) => `${name} ${result}`)).toEqual([
      "list-unsubscribe pass",
      "https pass",
      "list-unsubscribe-post pass",
      "dkim skipped",
      "target pass",
      "response pass",
      "confirmation pass",
      "duration pass",
    ]);
    expect(response?.status).toBe(204);
  });

  test.each([
    ["no List-Unsubscribe", () => post, ["list-unsubscribe", "https"]],
    ["two List-Unsubscribe", () => `${usual()}List-Unsubscribe: <${origin}/2>\r\n`, ["list-unsubscribe"]],
    ["mailto only", () => `List-Unsubscribe: <mailto:a@b.example>\r\n${post}`, ["https"]],
    ["http elsewhere", () => `List-Unsubscribe: <http://shop.example/u>\r\n${post}`, ["https"]],
    ["no List-Unsubscribe-Post", () => usual().replace(post, ""), ["list-unsubscribe-post"]],
    ["another value", () => usual().replace("One-Click", "Two-Click"), ["list-unsubscribe-post"]],
    ["a host that is not allowed", () => `List-Unsubscribe: <https://shop.example/u>\r\n${post}`, ["target"]],
    ["a metadata address", () => `List-Unsubscribe: <https://169.254.169.254/u>\r\n${post}`, ["target"]],
    ["a password", () => `List-Unsubscribe: <${origin.replace("//", "//a:b@")}/u>\r\n${post}`, ["target"]],
  ])("sends nothing for a mail with %s", async (_, fields, expected) => {
    const report = await unsubscribe(mail(fields()));
    expect([report.ok, report.response, failed(report)]).toEqual([false, null, expected]);
    expect(received).toEqual([]);
  });

  test.each([
    ["a redirect", { status: 302, headers: { location: "/elsewhere" } }, ["response"]],
    ["an error", { status: 500 }, ["response"]],
    ["a confirmation", { status: 200, headers: { "content-type": "text/html" }, body: "<form>" }, ["confirmation"]],
  ])("judges %s, and requests no other URL", async (_, response, expected) => {
    answer = response;
    const report = await unsubscribe(mail(usual()));
    expect([report.ok, report.response?.status, failed(report)]).toEqual([false, response.status, expected]);
    expect(received).toHaveLength(1);
    expect(JSON.stringify(report)).not.toContain("elsewhere");
  });

  test("reports a target that closes the connection", async () => {
    answer = { status: 0 };
    const report = await unsubscribe(mail(usual()));
    expect([report.ok, report.response, failed(report)]).toEqual([false, null, ["response"]]);
    expect(received).toHaveLength(1);
  });

  test("checks that a valid DKIM signature covers both fields", async () => {
    const covered = ["from", "list-unsubscribe", "list-unsubscribe-post"];
    const plain = mail(usual());
    const signed = signMail(plain, signer, covered);
    const reportOf = async (raw: string, requireDkim: boolean): Promise<unknown> => {
      received = [];
      const report = await unsubscribe(raw, { requireDkim });
      return [report.dkim, report.ok, received.length];
    };
    expect(await reportOf(signed, true)).toEqual(["pass", true, 1]);
    expect(await reportOf(signMail(signed, other, ["from"]), true)).toEqual(["pass", true, 1]);
    expect(await reportOf(signed.replace("Hi", "Ho"), false)).toEqual(["fail", false, 1]);
    expect(await reportOf(signed.replace("Hi", "Ho"), true)).toEqual(["fail", false, 0]);
    expect(await reportOf(signMail(plain, signer, ["from", "list-unsubscribe"]), true)).toEqual(["fail", false, 0]);
    expect(await reportOf(plain, true)).toEqual(["none", false, 0]);
    expect(await reportOf(plain, false)).toEqual(["none", true, 1]);
  });

  test("reports a signature that cannot be verified without DNS", async () => {
    const own = await api.addServer();
    const raw = signMail(mail(usual()), signer, ["from", "list-unsubscribe", "list-unsubscribe-post"]);
    const id = await api.deliver(own, { raw });
    const report = (await api.ask(`POST /api/messages/${id}/unsubscribe`, { body: {} })).json<UnsubscribeReport>();
    expect([report.dkim, report.ok]).toEqual(["unverified", true]);
  });

  test("is recorded in the audit log without addresses, and needs a key that may send", async () => {
    const id = await api.deliver(server, { raw: mail(usual()) });
    const path = `POST /api/messages/${id}/unsubscribe`;
    const create = { body: { name: "reader", scope: "read", server: server.id } };
    const { key } = (await api.ask("POST /api/keys", create)).json<{ key: string }>();
    expect((await api.ask(path, { key, body: {} })).statusCode).toBe(403);
    expect(received).toEqual([]);
    await api.ask(path, { key: server.key });
    const [entry] = (await api.ask("GET /api/audit")).json<WireAuditEntry[]>();
    expect(entry).toMatchObject({
      action: "message.unsubscribe",
      target: id,
      server: server.id,
      details: { ok: true, sent: true },
    });
  });

  test("responds 400 for an SMS and wrong fields, 404 to other servers", async () => {
    await api.ask("POST /api/phone-numbers", { body: { number: "+15550199", server: server.id } });
    const body = { from: "+15550100", to: "+15550199", text: "Hi" };
    const { id } = (await api.ask("POST /api/sms", { body })).json<{ id: string }>();
    const path = `POST /api/messages/${id}/unsubscribe`;
    expect((await api.ask(path, { body: {} })).json()).toMatchObject({ status: 400, errors: [{ field: "id" }] });
    const wrong = await api.ask(path, { body: { requireDkim: 1 } });
    expect(wrong.json()).toMatchObject({ status: 400, errors: [{ field: "requireDkim" }] });
    expect((await api.ask(path, { key: (await api.addServer()).key, body: {} })).statusCode).toBe(404);
  });
});
