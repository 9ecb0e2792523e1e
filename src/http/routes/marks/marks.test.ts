import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MessageId } from "../../../core/ids.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import type { WireError } from "../../wire/error-schema.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const addMail = async (): Promise<string> => {
  const { id } = (
    await api.ask(`POST /api/messages?server=${server.id}`, {
      body: { to: `a@${server.id}.x`, subject: "S", text: "T" },
    })
  ).json<{ id: string }>();
  return id;
};

describe("marks of messages", () => {
  test("are replaced, changed together, read and listed", async () => {
    const [first, second] = [await addMail(), await addMail()];
    expect((await api.ask(`GET /api/messages/${first}/marks`)).json()).toEqual({ flags: [], tags: [] });
    const marks = { flags: ["seen"], tags: ["invoice"] };
    const put = await api.ask(`PUT /api/messages/${first}/marks`, { body: marks });
    expect([put.statusCode, put.json()]).toEqual([200, marks]);
    const body = { ids: [first, second, "no id"], addTags: [" Sign  up "], removeTags: ["INVOICE"] };
    expect((await api.ask(`POST /api/messages/marks?server=${server.id}`, { body })).json()).toEqual({ changed: 2 });
    expect((await api.ask(`GET /api/messages/${first}/marks`)).json()).toEqual({ flags: ["seen"], tags: ["Sign up"] });
    const listed = (await api.ask(`GET /api/servers/${server.id}/marks`)).json<{ id: string; sequence: number }[]>();
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set([first, second]));
    const last = listed.at(-1)?.sequence;
    expect((await api.ask(`GET /api/servers/${server.id}/marks?after=${last}`)).json()).toEqual([]);
    expect((await api.ask(`GET /api/servers/${server.id}/tags`)).json()).toEqual([{ tag: "Sign up", count: 2 }]);
    const found = (await api.ask(`GET /api/messages?server=${server.id}&tag=Sign%20up`)).json<{ id: MessageId }[]>();
    expect(found.map(({ id }) => id)).toEqual([second, first]);
  });

  test("publish their change", async () => {
    const id = await addMail();
    const events: unknown[] = [];
    const unsubscribe = api.context.events.subscribe(server.id, ({ change }) => void events.push(change));
    await api.ask(`PUT /api/messages/${id}/marks`, { body: { flags: ["flagged"], tags: [] } });
    await api.ask(`PUT /api/messages/${id}/marks`, { body: { flags: ["flagged"], tags: [] } });
    unsubscribe();
    expect(events).toMatchObject([{ kind: "marked", id }]);
  });

  test("are refused with every wrong tag named", async () => {
    const id = await addMail();
    const body = { flags: ["seen"], tags: ["a,b", "fine", "x".repeat(101)] };
    const reply = await api.ask(`PUT /api/messages/${id}/marks`, { body });
    expect(reply.statusCode).toBe(400);
    expect(reply.json<WireError>().errors.map(({ field }) => field)).toEqual(["tags[0]", "tags[2]"]);
  });

  test("are refused beyond the number of tags that a message may have", async () => {
    const id = await addMail();
    const tags = Array.from({ length: 64 }, (_, index) => `tag ${index}`);
    expect((await api.ask(`PUT /api/messages/${id}/marks`, { body: { tags } })).statusCode).toBe(200);
    const body = { ids: [id], addTags: ["one more"] };
    const reply = await api.ask(`POST /api/messages/marks?server=${server.id}`, { body });
    expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, "addTags"]);
  });

  test("responds 404 for marks of other servers and missing messages", async () => {
    const other = await api.addServer();
    const id = await addMail();
    for (const path of [`messages/${id}/marks`, `servers/${server.id}/marks`, `servers/${server.id}/tags`]) {
      expect((await api.ask(`GET /api/${path}`, { key: other.key })).statusCode).toBe(404);
    }
    const body = { ids: [id], addTags: ["x"] };
    expect((await api.ask(`POST /api/messages/marks?server=${other.id}`, { body, key: other.key })).json()).toEqual({
      changed: 0,
    });
    await api.ask(`DELETE /api/messages/${id}`);
    expect((await api.ask(`GET /api/messages/${id}/marks`)).statusCode).toBe(404);
    expect((await api.ask(`PUT /api/messages/${id}/marks`, { body: { flags: [], tags: [] } })).statusCode).toBe(404);
  });
});
