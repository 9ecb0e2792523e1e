import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import { until } from "../../../testing/until.test-aid.ts";
import type { WireJourneyResult } from "../../wire/search-schema.ts";

let api: HttpTestServer;
let server: TestServer;
beforeEach(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterEach(async () => api[Symbol.asyncDispose]());

const journey = async (body: unknown, query = ""): Promise<Reply> =>
  api.ask(`POST /api/messages/journey?server=${server.id}${query}`, { body });
const waiting = async (): Promise<void> => until(() => api.clock.appointmentCount > 0);
const idsIn = (reply: Reply): readonly (readonly string[])[] =>
  reply.json<WireJourneyResult>().steps.map(({ messages }) => messages.map(({ id }) => id));

describe("POST /api/messages/journey", () => {
  test("responds when the last message of the given order has arrived", async () => {
    const steps = [{ name: "order", subject: "order" }, { subject: "shipped" }];
    const tooEarly = await api.deliver(server, { subject: "shipped" });
    api.clock.advance(1000);
    const pending = journey({ steps });
    await waiting();
    const order = await api.deliver(server, { subject: "Your order" });
    api.clock.advance(1000);
    const shipped = await api.deliver(server, { subject: "It is shipped" });
    const reply = await pending;
    expect([reply.statusCode, idsIn(reply)]).toEqual([200, [[order], [shipped]]]);
    expect(reply.json()).toMatchObject({ complete: true, cursor: 3, steps: [{ name: "order" }, { name: null }] });
    expect(idsIn(reply).flat()).not.toContain(tooEarly);
  });

  test("accepts messages in any order", async () => {
    const ids = [await api.deliver(server, { subject: "two" }), await api.deliver(server, { subject: "one" })];
    const reply = await journey({ order: "any", steps: [{ subject: "one" }, { subject: "two" }] });
    expect(idsIn(reply)).toEqual([[ids[1]], [ids[0]]]);
  });

  test("responds with 409, what arrived and an explanation when a message is missing", async () => {
    const id = await api.deliver(server, { subject: "order" });
    api.clock.advance(1);
    await api.deliver(server, { subject: "Shiped" });
    const pending = journey({ steps: [{ subject: "order" }, { name: "mail", subject: "Shipped" }] }, "&timeout=2000");
    await waiting();
    api.clock.advance(2000);
    const reply = await pending;
    expect([reply.statusCode, idsIn(reply)]).toEqual([409, [[id], []]]);
    expect(reply.json()).toMatchObject({
      type: "Conflict",
      complete: false,
      failures: [
        {
          step: 1,
          name: "mail",
          reason: "missing",
          expected: 1,
          messages: [],
          text: "Step 2 (mail): 0 of 1 message arrived",
          explanation: { nearest: [{ subject: "Shiped" }, { subject: "order" }] },
        },
      ],
    });
  });

  test("responds after the quiet time, or at once when a message breaks it", async () => {
    const steps = [{ subject: "order" }, { quiet: 2000 }];
    const id = await api.deliver(server, { subject: "order" });
    const quiet = journey({ steps }, "&timeout=0");
    await waiting();
    api.clock.advance(2001);
    expect(idsIn(await quiet)).toEqual([[id], []]);

    const next = await api.deliver(server, { subject: "order" });
    const broken = journey({ steps }, `&after=1`);
    await waiting();
    api.clock.advance(1);
    const unexpected = await api.deliver(server, { subject: "another" });
    const reply = await broken;
    expect([reply.statusCode, idsIn(reply)]).toEqual([409, [[next], []]]);
    expect(reply.json()).toMatchObject({
      failures: [{ step: 1, reason: "unexpected", messages: [{ id: unexpected }] }],
    });
  });

  test("reports every wrong field", async () => {
    const fieldsOf = (reply: Reply): readonly string[] =>
      reply.json<{ errors: readonly { field: string }[] }>().errors.map(({ field }) => field);
    const steps = [
      { subject: "a", count: 0 },
      { subject: "a", quiet: 100 },
      { count: 1 },
      { subject: "a", quiet: 100, count: 1 },
      { subject: "a", quiet: -1 },
      { subject: "a", name: "n".repeat(101) },
      // A negative count would also lower the sum of all.
      { subject: "a", quiet: 100, count: -50 },
    ];
    expect(fieldsOf(await journey({ order: "any", steps }, "&timeout=60000"))).toEqual([
      "steps[0].count",
      "steps[1].quiet",
      "steps[2]",
      "steps[3].count",
      "steps[4].quiet",
      "steps[5].name",
      "steps[6].count",
      "timeout",
    ]);
    expect(fieldsOf(await journey({ steps: [{ subject: "a".repeat(1001) }] }))).toEqual(["steps[0].subject"]);
    expect(fieldsOf(await journey({ steps: [] }))).toEqual(["steps"]);
    expect(fieldsOf(await journey({ steps: Array.from({ length: 11 }, () => ({ subject: "a" })) }))).toEqual(["steps"]);
    expect(fieldsOf(await journey({ steps: [{ subject: "a", count: 51 }] }))).toEqual(["steps"]);
    expect((await journey({ steps: [{ subject: "a" }, "b"] })).statusCode).toBe(400);
  });

  test("rejects more matches than it compares instead of guessing", async () => {
    for (let count = 0; count < 101; count += 1) await api.deliver(server, { subject: "flood" });
    const reply = await journey({ steps: [{ subject: "flood" }] });
    expect([reply.statusCode, reply.body]).toEqual([400, expect.stringContaining("More than 100 messages match")]);
    expect((await journey({ steps: [{ subject: "flood" }] }, "&after=1")).statusCode).toBe(200);
  });

  test("does not show another key's server", async () => {
    const other = await api.addServer();
    const call = { body: { steps: [{ subject: "a" }] }, key: other.key };
    expect((await api.ask(`POST /api/messages/journey?server=${server.id}`, call)).statusCode).toBe(404);
  });
});
