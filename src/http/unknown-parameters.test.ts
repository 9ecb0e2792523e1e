import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const errorsOf = async (request: string, body?: unknown): Promise<unknown> =>
  (await api.ask(request, { body })).json<{ errors: unknown }>().errors;

describe("an unknown query parameter", () => {
  test.each([
    ["pageSize", "Unknown query parameter; this endpoint accepts server,"],
    ["recievedAfter", "Unknown query parameter; did you mean receivedAfter?"],
    ["itemPerPage", "Unknown query parameter; did you mean itemsPerPage?"],
  ])("gets 400 with the most similar name: %s", async (name, description) => {
    const errors = await errorsOf(`GET /api/messages?server=${server.id}&${name}=1`);
    const detail = [{ description: expect.stringContaining(description) as unknown, code: "unknown_parameter" }];
    expect(errors).toEqual([{ field: name.toLowerCase(), detail }]);
  });

  test("gets 400 when a known one is repeated, except for official libraries", async () => {
    const request = `GET /api/messages?server=${server.id}&itemsPerPage=1&ItemsPerPage=2`;
    const detail = [{ description: "Give it once", code: "invalid" }];
    expect(await errorsOf(request)).toEqual([{ field: "itemsPerPage", detail }]);
    const headers = { "user-agent": "mailosaur-node/8.0.0" };
    expect((await api.ask(request, { headers })).statusCode).toBe(200);
  });

  test("gets 400 on an endpoint without parameters", async () => {
    const description = "Unknown query parameter; this endpoint accepts none";
    const expected = [{ field: "x", detail: [{ description, code: "unknown_parameter" }] }];
    expect(await errorsOf("GET /api/servers?x=1")).toEqual(expected);
  });

  test("is ignored for official libraries; known names match in any letter case", async () => {
    const headers = { "user-agent": "mailosaur-node/8.0.0" };
    const status = async (query: string, pending = {}): Promise<number> =>
      (await api.ask(`GET /api/messages?server=${server.id}&${query}`, pending)).statusCode;
    expect(await status("x=1", { headers })).toBe(200);
    expect(await status("ITEMSPERPAGE=1")).toBe(200);
    expect(await status("x=1")).toBe(400);
  });

  test("is not reported to clients without a key", async () => {
    expect((await api.ask("GET /api/servers?x=1", { key: null })).statusCode).toBe(401);
  });
});

describe("a request with several wrong fields", () => {
  test.each([
    [
      "GET /api/messages?page=x&itemsPerPage=0&dir=up&receivedAfter=no",
      undefined,
      "server page itemsPerPage receivedAfter dir",
    ],
    ["POST /api/messages/search?page=x", { subject: 1, match: "SOME" }, "server page subject match"],
    [
      "POST /api/messages?server=SERVER",
      { to: "a b", cc: "c", from: "d", send: true, attachments: [{ content: "!" }] },
      "from to cc attachments[0].content",
    ],
    [
      "POST /api/keys",
      { name: "x".repeat(201), requestsPerMinute: 0, networks: ["x"], expires: "no" },
      "name requestsPerMinute networks expires",
    ],
    ["POST /api/sms", { from: "", to: "x", text: "x".repeat(2000) }, "from to text"],
    [
      "PUT /api/servers/SERVER",
      { name: " ", retention: { ageSecondsMax: 0, messageCountMax: 0 } },
      "name retention.ageSecondsMax retention.messageCountMax",
    ],
    [
      "POST /api/phone-numbers",
      { number: "x", webhook: "y", secret: "x".repeat(300), account: { id: "!" } },
      "number server webhook secret account.id account.secret",
    ],
  ])("reports all of them: %s", async (request, body, fields) => {
    const errors = await errorsOf(request.replace("SERVER", server.id), body);
    expect((errors as { field: string }[]).map(({ field }) => field).join(" ")).toBe(fields);
  });

  test("reports a bounded number of them", async () => {
    const attachments = Array.from({ length: 500 }, () => 1);
    const errors = await errorsOf(`POST /api/messages?server=${server.id}`, { attachments });
    expect(errors).toHaveLength(50);
  });
});
