import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Summary } from "../../../core/message.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import { until } from "../../../testing/until.test-aid.ts";
import type { WireError } from "../../wire/error-schema.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  for (const n of [1, 2, 3]) {
    await api.deliver(server, { from: `app${n}@sender.example`, subject: `Order ${n}`, text: "Thank you.\r\n" });
  }
});
afterAll(async () => api[Symbol.asyncDispose]());

const subjects = (reply: Reply): readonly string[] => reply.json<Summary[]>().map(({ subject }) => subject);
const list = async (query: string): Promise<Reply> => await api.ask(`GET /api/messages?server=${server.id}&${query}`);
const search = async (body: unknown, query = "", of = server): Promise<Reply> =>
  await api.ask(`POST /api/messages/search?server=${of.id}${query}`, { body });

describe("q", () => {
  test("selects the messages of a list, page by page", async () => {
    expect(subjects(await list("q=from%3Aapp2"))).toEqual(["Order 2"]);
    expect(subjects(await list("q="))).toHaveLength(3);
    const first = await list("q=order%20-subject%3A3&itemsPerPage=1&timeZone=Europe%2FBerlin");
    expect(subjects(first)).toEqual(["Order 2"]);
    const [, next = ""] = /<([^>]+)>/.exec(String(first.headers["link"])) ?? [];
    expect(subjects(await api.ask(`GET ${next}`))).toEqual(["Order 1"]);
  });

  test("searches in the body, in the URL, and together with criteria", async () => {
    expect(subjects(await search({ q: "thank app1" }))).toEqual(["Order 1"]);
    expect(subjects(await search({}, "&q=app3"))).toEqual(["Order 3"]);
    expect(subjects(await search(undefined, "&q=app3"))).toEqual(["Order 3"]);
    expect(subjects(await search({ q: "thank", subject: "order 2" }))).toEqual(["Order 2"]);
    expect(subjects(await search({ q: "order", sentFrom: "app1@sender.example", subject: "2", match: "ANY" }))).toEqual(
      ["Order 2", "Order 1"],
    );
    expect((await search({})).statusCode).toBe(400);
  });

  test.each([
    [{ q: "a larger:much" }, "", "q", 'larger: takes a size such as 500, 20k or 1.5M, not "much" (at character 3)'],
    [{ q: "x".repeat(1001) }, "", "q", "Must have at most 1000 characters"],
    [{ q: "a\0" }, "", "q", "Must not contain NUL"],
    [{ q: "a" }, "&timeZone=Moon", "timeZone", "Must be the name of a time zone, such as Europe/Berlin"],
  ])("%j%s is a 400 on %s", async (...[body, query, field, description]) => {
    const reply = await search(body, query);
    expect([reply.statusCode, reply.json<WireError>().errors]).toMatchObject([
      400,
      [{ field, detail: [{ description }] }],
    ]);
  });

  test("is explained with its terms, and with the parts that the nearest messages do not meet", async () => {
    const reply = await search({ q: "form:app1 order -thank" }, "&explain=true");
    expect(reply.json()).toMatchObject({
      items: [],
      query: {
        q: "form:app1 order -thank",
        terms: [
          { operator: null, value: "form:app1", start: 0, end: 9 },
          { operator: null, value: "order", isNegated: false, meaning: '"order" occurs anywhere' },
          { operator: null, value: "thank", isNegated: true },
        ],
      },
      explanation: {
        arrived: 3,
        nearest: [
          {
            subject: "Order 3",
            failed: [
              { criterion: "q", expected: "form:app1", hint: "searched as text; did you mean from:?" },
              { criterion: "q", expected: "-thank", hint: null },
            ],
          },
          { subject: "Order 2" },
          { subject: "Order 1" },
        ],
      },
    });
    expect((await search({ q: "order" }, "&explain=true")).json()).toMatchObject({ explanation: null });
  });

  test("waits for a message that matches, and for a tag", async () => {
    const own = await api.addServer();
    const waiting = search({ q: "subject:wanted tag:red" }, "&timeout=60000", own);
    await until(() => api.context.waiters.count() === 1);
    await api.deliver(own, { subject: "other" });
    const id = await api.deliver(own, { subject: "Wanted" });
    await api.ask(`PUT /api/messages/${id}/marks`, { body: { flags: [], tags: ["Red"] } });
    expect(subjects(await waiting)).toEqual(["Wanted"]);
  });
});
