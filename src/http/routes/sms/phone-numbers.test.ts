import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import type { WireError } from "../../wire/error-schema.ts";
import type { WireNumber } from "../../wire/sms-schema.ts";

let api: HttpTestServer;
let server: TestServer;
let other: TestServer;
let number: WireNumber;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  other = await api.addServer();
  const body = { number: "+15550100", server: server.id, secret: "token", webhook: "http://app.test/sms" };
  number = (await api.ask("POST /api/phone-numbers", { body })).json();
});
afterAll(async () => api[Symbol.asyncDispose]());

const change = async (id: string, body: unknown): Promise<Reply> => api.ask(`PUT /api/phone-numbers/${id}`, { body });

describe("PUT /api/phone-numbers/:id", () => {
  test("changes the fields that are given and keeps the others", async () => {
    const moved = await change("+15550100", { server: other.id, provider: "vonage" });
    expect(moved.statusCode).toBe(200);
    expect(moved.json()).toEqual({ ...number, server: other.id, provider: "vonage" });
    const back = await change(number.id, { server: server.id, provider: "twilio" });
    expect(back.json()).toEqual(number);
    expect((await api.ask("GET /api/phone-numbers")).json()).toEqual([number]);
  });

  test("removes what is null and never shows a secret", async () => {
    const removed = await change("%2B15550100", { secret: null, webhook: null, account: null });
    expect(removed.json()).toEqual({ ...number, signed: false, sends: false, webhook: null });
    const restored = await change(number.id, { secret: "token-2", webhook: number.webhook });
    expect(restored.json()).toEqual(number);
    expect(restored.body).not.toContain("token-2");
  });

  test.each([
    [{ webhook: "ftp://x.example", secret: "x".repeat(257) }, ["webhook", "secret"]],
    [{ provider: "other", account: { id: 5 } }, ["provider", "account.id"]],
  ])("responds 400 and names every wrong field: %j", async (body, fields) => {
    const reply = await change(number.id, body);
    expect([reply.statusCode, reply.json<WireError>().errors.map(({ field }) => field)]).toEqual([400, fields]);
  });

  test.each([
    ["+15550199", {}],
    ["6d1b9d4e-0000-4000-8000-000000000000", {}],
    ["+15550100", { server: "aaaaaaaa" }],
  ])("responds 404 for an unknown number or server: %s %j", async (id, body) => {
    expect((await change(id, body)).statusCode).toBe(404);
  });

  test("is recorded in the audit log without the values", async () => {
    await change(number.id, { secret: "token-3" });
    const [entry] = (await api.ask("GET /api/audit?itemsPerPage=1")).json<unknown[]>();
    const expected = { action: "phone_number.update", target: number.id, details: { fields: ["secret"] } };
    expect(entry).toMatchObject({ ...expected, server: server.id });
    expect(JSON.stringify(entry)).not.toContain("token-3");
  });

  test("rejects the key of one server", async () => {
    const reply = await api.ask(`PUT /api/phone-numbers/${number.id}`, { key: server.key, body: {} });
    expect(reply.statusCode).toBe(403);
  });
});
