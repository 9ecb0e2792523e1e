import { afterAll, beforeAll, expect, test } from "vitest";
import type { Summary } from "../../../core/message.ts";
import { openProviderSession } from "../../../operations/providers/provider-session.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import { until } from "../../../testing/until.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  await api.deliver(server);
  for (const n of [1, 2, 3]) await submit(`acme-${String(n)}`, n === 2 ? ["even", "A, b"] : ["odd"]);
});
afterAll(async () => api[Symbol.asyncDispose]());

async function submit(providerId: string, tags: readonly string[]): Promise<void> {
  api.clock.advance(1);
  const caller = { principal: { keyId: "k", server: server.id }, provider: "acme", isKnown: true };
  const content = Buffer.from(`Subject: ${providerId}\r\n\r\n`);
  await openProviderSession(api.context, caller).submitEmails([
    {
      content,
      mailFrom: "a@b.example",
      recipients: ["x@y.example"],
      facts: { tags, metadata: {}, template: null },
      sendAt: null,
      identify: () => ({ providerId, messageId: null }),
    },
  ]);
}

const subjects = (reply: Reply): readonly string[] => reply.json<Summary[]>().map(({ subject }) => subject);

test.each([
  ["provider=acme", ["acme-3", "acme-2", "acme-1"]],
  ["provider=Acme", []],
  ["provider=", ["acme-3", "acme-2", "acme-1", "Hello"]],
  ["tag=odd", ["acme-3", "acme-1"]],
  ["tag=A%2C%20b&provider=acme", ["acme-2"]],
  ["providerId=acme-1", ["acme-1"]],
  ["providerid=acme-1&tag=even", []],
])("GET /api/messages?%s", async (query, expected) => {
  expect(subjects(await api.ask(`GET /api/messages?server=${server.id}&${query}`))).toEqual(expected);
});

test("GET /api/messages keeps the criteria in Link", async () => {
  const first = await api.ask(`GET /api/messages?server=${server.id}&tag=odd&itemsPerPage=1`);
  expect(subjects(first)).toEqual(["acme-3"]);
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers["link"]))?.[1] ?? "";
  expect(subjects(await api.ask(`GET ${next}`))).toEqual(["acme-1"]);
});

test("GET /api/messages responds 400 to a criterion that is too long", async () => {
  const reply = await api.ask(`GET /api/messages?server=${server.id}&tag=${"x".repeat(1001)}`);
  expect(reply.json()).toMatchObject({ status: 400, errors: [{ field: "tag" }] });
});

test("POST /api/messages/search combines them with other criteria, and waits", async () => {
  const path = `POST /api/messages/search?server=${server.id}`;
  const search = async (body: object, query = ""): Promise<Reply> => api.ask(path + query, { body });
  expect(subjects(await search({ tag: "odd", subject: "-3" }))).toEqual(["acme-3"]);
  expect(subjects(await search({ Tag: "even", providerId: "acme-1", match: "ANY" }))).toEqual(["acme-2", "acme-1"]);
  const pending = search({ providerId: "acme-4" }, "&timeout=5000");
  await until(() => api.clock.appointmentCount > 0);
  await submit("acme-4", []);
  expect(subjects(await pending)).toEqual(["acme-4"]);
});
