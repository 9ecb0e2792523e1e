import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type Reply } from "../../../testing/http-test-server.test-aid.ts";
import type { WireServer } from "../../wire/server-schema.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const create = async (body: unknown): Promise<Reply> => api.ask("POST /api/servers", { body });

describe("GET /api/servers", () => {
  test("returns an array sorted by name, and items to official libraries", async () => {
    const names = ["b", "A", "c"].map((name) => `sorted ${name}`);
    for (const name of names) await create({ name });
    const servers = (await api.ask("GET /api/servers")).json<WireServer[]>();
    const sorted = servers.map((server) => server.name).filter((name) => name.startsWith("sorted"));
    expect(sorted).toEqual(["sorted A", "sorted b", "sorted c"]);
    const official = await api.ask("GET /api/servers", { headers: { "user-agent": "mailosaur-go/2.0.0" } });
    expect(official.json<{ items: WireServer[] }>().items).toEqual(servers);
    expect(official.headers["vary"]).toBe("user-agent");
  });
});
