import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpDoor, type HttpDoor, type Reply } from "../../../testing/http-door.test-aid.ts";
import type { WireServer } from "../../wire/server-schema.ts";

let door: HttpDoor;

beforeAll(async () => {
  door = await openHttpDoor();
});
afterAll(async () => door[Symbol.asyncDispose]());

const create = async (body: unknown): Promise<Reply> => door.ask("POST /api/servers", { body });

describe("GET /api/servers", () => {
  test("returns an array sorted by name, and items to official libraries", async () => {
    const names = ["b", "A", "c"].map((name) => `sorted ${name}`);
    for (const name of names) await create({ name });
    const servers = (await door.ask("GET /api/servers")).json<WireServer[]>();
    const sorted = servers.map((server) => server.name).filter((name) => name.startsWith("sorted"));
    expect(sorted).toEqual(["sorted A", "sorted b", "sorted c"]);
    const official = await door.ask("GET /api/servers", { headers: { "user-agent": "mailosaur-go/2.0.0" } });
    expect(official.json<{ items: WireServer[] }>().items).toEqual(servers);
    expect(official.headers["vary"]).toBe("user-agent");
  });
});
