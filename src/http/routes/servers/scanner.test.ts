import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const path = (): string => `/api/servers/${server.id}/scanner`;

describe("the scanner of a server", () => {
  test("is set with the behaviour of its profile, replaced, and removed", async () => {
    expect((await api.ask(`GET ${path()}`)).statusCode).toBe(404);
    const set = await api.ask(`PUT ${path()}`, { body: { profile: "safelinks", delayMs: 5 } });
    expect([set.statusCode, set.json()]).toMatchObject([
      200,
      { profile: "safelinks", targets: "links", methods: ["HEAD", "GET"], when: "before", delayMs: 5 },
    ]);
    expect((await api.ask(`GET ${path()}`)).json()).toEqual(set.json());
    const custom = {
      profile: "custom",
      targets: "images",
      methods: ["GET"],
      userAgent: "robot",
      when: "after",
      delayMs: 0,
    };
    await api.ask(`PUT ${path()}`, { body: custom });
    expect((await api.ask(`GET ${path()}`)).json()).toEqual({ ...custom, renders: false });
    expect((await api.ask(`DELETE ${path()}`)).statusCode).toBe(204);
    expect((await api.ask(`GET ${path()}`)).statusCode).toBe(404);
    expect((await api.ask(`DELETE ${path()}`)).statusCode).toBe(404);
  });

  test("is changed by the server's own key, and recorded in the audit log", async () => {
    expect((await api.ask(`PUT ${path()}`, { body: { profile: "custom" }, key: server.key })).statusCode).toBe(200);
    await api.ask(`DELETE ${path()}`, { key: server.key });
    const entries = (await api.ask("GET /api/audit?itemsPerPage=2")).json<unknown>();
    expect(entries).toMatchObject([
      { action: "scanner.remove", server: server.id },
      { action: "scanner.set", server: server.id },
    ]);
  });

  test("is refused with a field error for each wrong member", async () => {
    const reply = await api.ask(`PUT ${path()}`, { body: { profile: "none", when: "later", speed: 1 } });
    expect(reply.statusCode).toBe(400);
    const fields = reply.json<{ errors: { field: string }[] }>().errors.map(({ field }) => field);
    expect(fields.toSorted()).toEqual(["profile", "speed", "when"]);
  });
});

/** Sets a scanner that works after the arrival, and returns the messages that are queued for it. */
async function scansAfter(arrive: (receiver: TestServer) => Promise<unknown>): Promise<number> {
  const { scanners } = api.context.store;
  const receiver = await api.addServer();
  await arrive(receiver);
  expect((await scanners.queue.countPending()).count).toBe(0);
  await api.ask(`PUT /api/servers/${receiver.id}/scanner`, { body: { profile: "custom" } });
  await arrive(receiver);
  const count = (await scanners.queue.countPending()).count;
  await api.ask(`DELETE /api/servers/${receiver.id}/scanner`);
  expect((await scanners.queue.countPending()).count).toBe(0);
  return count;
}

describe("link scanner", () => {
  test("queues a scan with a mail that a client delivers", async () => {
    expect(await scansAfter(async (receiver) => api.deliver(receiver, { text: "Hello\n" }))).toBe(1);
  });

  test("queues a scan with a mail that is created by the API, and with the recipient's copy of one that is sent", async () => {
    const created = async ({ id }: TestServer): Promise<unknown> =>
      api.ask(`POST /api/messages?server=${id}`, { body: {} });
    expect(await scansAfter(created)).toBe(1);
    const sent = async ({ id }: TestServer): Promise<unknown> =>
      api.ask(`POST /api/messages?server=${id}`, {
        body: { send: true, to: `a@${id}.restante.test`, subject: "Hello", text: "Hello" },
      });
    expect(await scansAfter(sent)).toBe(1);
  });
});

test("a message without a scan has none", async () => {
  const id = await api.deliver(server, { text: "Hello\n" });
  expect((await api.ask(`GET /api/messages/${id}/scan`)).statusCode).toBe(404);
});
