import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpDoor, type HttpDoor } from "../../../testing/http-door.test-aid.ts";
import type { WireKey, WireNewKey } from "../../wire/key-schema.ts";

let door: HttpDoor;

beforeAll(async () => {
  door = await openHttpDoor();
});
afterAll(async () => door[Symbol.asyncDispose]());

const create = async (body: unknown): Promise<WireNewKey> => (await door.ask("POST /api/keys", { body })).json();

describe("GET /api/keys", () => {
  test("lists all keys, oldest first, without secrets", async () => {
    door.clock.advance(1);
    const created = await create({ name: "listed" });
    const reply = await door.ask("GET /api/keys");
    const keys = reply.json<WireKey[]>();
    expect(keys[0]).toMatchObject({ name: "account", server: null });
    expect(keys.map(({ id }) => id)).toContain(created.id);
    const members = ["id", "name", "server", "createdAt", "scope", "expires", "requestsPerMinute", "networks"];
    for (const key of keys) expect(Object.keys(key)).toEqual([...members, "lastUsed", "formerUntil"]);
    expect(reply.body).not.toContain(created.key);
  });

  test("responds 403 to a restricted key", async () => {
    const { key } = await door.addServer();
    expect((await door.ask("GET /api/keys", { key })).statusCode).toBe(403);
  });
});
