import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { HttpTestServer, Reply, TestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { WireVerifiedAddress } from "../../wire/account-schema.ts";

let api: HttpTestServer;
let server: TestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const add = (body: unknown): Promise<Reply> => api.ask("POST /api/verified-addresses", { body });
const send = (to: string): Promise<Reply> =>
  api.ask(`POST /api/messages?server=${server.id}`, { body: { to, text: "x", send: true } });

/** Returns the token of the verification mail. */
async function mailedToken(to: string): Promise<string> {
  const now = api.clock.now();
  const entries = await api.context.store.outbox.queue.claim({
    now,
    leaseEndsAt: now + 1,
    lease: "t",
    keys: [{ key: "", limit: 100 }],
  });
  const pending = entries.find((entry) => entry.rcptTo.includes(to));
  expect(pending).toMatchObject({ message: null, mailFrom: "verify@restante.test", rcptTo: [to] });
  return /^([\w-]{32})\r$/m.exec(Buffer.from(pending?.content ?? []).toString())?.[1] ?? "";
}

describe("verified addresses", () => {
  test("are pending until the owner's token is given, and receive mail only then", async () => {
    const pending = (await add({ address: "Owner@new.example" })).json<WireVerifiedAddress>();
    expect(pending).toEqual({
      id: pending.id,
      address: "Owner@new.example",
      status: "Pending",
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    expect((await send("owner@new.example")).statusCode).toBe(400);
    const token = await mailedToken("Owner@new.example");
    const verify = (body: unknown): Promise<Reply> =>
      api.ask(`POST /api/verified-addresses/${pending.id}/verify`, { body });
    for (const body of [{}, { token: "x" }, { token: token.toLowerCase() }]) {
      expect((await verify(body)).json()).toMatchObject({ status: 400, errors: [{ field: "token" }] });
    }
    expect((await verify({ token })).json<WireVerifiedAddress>()).toEqual({ ...pending, status: "Verified" });
    expect((await verify({ token })).statusCode).toBe(200);
    expect((await send("owner@new.example")).statusCode).toBe(200);
    expect((await send("other@new.example")).statusCode).toBe(400);
    expect((await api.ask("GET /api/verified-addresses")).json()).toEqual([{ ...pending, status: "Verified" }]);
    expect((await api.ask(`DELETE /api/verified-addresses/${pending.id}`)).statusCode).toBe(204);
    expect((await api.ask(`DELETE /api/verified-addresses/${pending.id}`)).statusCode).toBe(404);
    expect((await send("owner@new.example")).statusCode).toBe(400);
  });

  test("never show the token in a response or a message", async () => {
    await add({ address: "silent@new.example" });
    const token = await mailedToken("silent@new.example");
    expect(token).not.toBe("");
    for (const line of ["GET /api/verified-addresses", `GET /api/messages?server=${server.id}&dir=Sent`]) {
      expect((await api.ask(line)).body).not.toContain(token);
    }
  });

  test("are verified at once with the operator's token, without a verification mail", async () => {
    await add({ address: "slow@new.example" });
    for (const address of ["slow@new.example", "quick@new.example"]) {
      const reply = await add({ address, operatorToken: api.context.operatorToken });
      expect(reply.json()).toMatchObject({ address, status: "Verified" });
      expect((await send(address)).statusCode).toBe(200);
    }
    expect((await add({ address: "x@new.example", operatorToken: "wrong" })).statusCode).toBe(403);
    expect((await send("x@new.example")).statusCode).toBe(400);
  });

  test.each([
    [{}, 400],
    [{ address: "no address" }, 400],
    [{ address: "@whole.example" }, 400],
    [{ address: "friend@outside.example" }, 409],
    [{ address: "any@verified.example" }, 409],
  ])("respond to %j with %i", async (body, status) => {
    expect((await add(body)).statusCode).toBe(status);
  });

  test("respond 400 for an address below a reserved mail domain, to which no token is mailed", async () => {
    const reply = await add({ address: "owner@gone1234.restante.example.com" });
    expect(reply.json()).toMatchObject({ status: 400, errors: [{ field: "address" }] });
  });

  test("respond 409 for a known address in any letter case", async () => {
    expect((await add({ address: "twice@new.example" })).statusCode).toBe(200);
    expect((await add({ address: "TWICE@new.example" })).statusCode).toBe(409);
  });

  test("respond 429 to a second verification mail within an hour; removing an address withdraws its mail and its token", async () => {
    const body = { address: "again@new.example" };
    const first = (await add(body)).json<WireVerifiedAddress>();
    const token = await mailedToken(body.address);
    await api.ask(`DELETE /api/verified-addresses/${first.id}`);
    api.clock.advance(10_000);
    expect(await mailedToken(body.address).catch(() => "no mail")).toBe("no mail");
    const rejected = await add({ address: "AGAIN@new.example" });
    expect([rejected.statusCode, rejected.headers["retry-after"]]).toEqual([429, "3590"]);
    api.clock.advance(3_590_000);
    const second = (await add(body)).json<WireVerifiedAddress>();
    for (const { id } of [first, second]) {
      const reply = await api.ask(`POST /api/verified-addresses/${id}/verify`, { body: { token } });
      expect(reply.statusCode).toBe(id === first.id ? 404 : 400);
    }
  });

  test("respond 429 after too many wrong tokens, also to the right one", async () => {
    const pending = (await add({ address: "guess@new.example" })).json<WireVerifiedAddress>();
    const token = await mailedToken("guess@new.example");
    const line = `POST /api/verified-addresses/${pending.id}/verify`;
    for (let guess = 0; guess < 30; guess += 1) await api.ask(line, { body: { token: String(guess) } });
    expect((await api.ask(line, { body: { token } })).statusCode).toBe(429);
    api.clock.advance(60_000);
    expect((await api.ask(line, { body: { token } })).statusCode).toBe(200);
  });

  test("respond 400 without a relay, and 429 beyond the outbound limit", async () => {
    await using lonely = await openHttpTestServer({ settings: { hasRelay: false } });
    const rejected = await lonely.ask("POST /api/verified-addresses", { body: { address: "a@b.example" } });
    expect([rejected.statusCode, rejected.body.includes("RESTANTE_RELAY_URL")]).toEqual([400, true]);
    await using slow = await openHttpTestServer({ limits: { outboundCountPerHourMax: 0 } });
    expect((await slow.ask("POST /api/verified-addresses", { body: { address: "a@b.example" } })).statusCode).toBe(429);
    expect((await slow.ask("GET /api/verified-addresses")).json()).toEqual([]);
  });
});
