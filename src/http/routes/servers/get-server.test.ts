import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpDoor, type HttpDoor } from "../../../testing/http-door.test-aid.ts";
import type { WireServer } from "../../wire/server-schema.ts";

let door: HttpDoor;

beforeAll(async () => {
  door = await openHttpDoor();
});
afterAll(async () => door[Symbol.asyncDispose]());

const unknownIds = ["aaaaaaaa", "not_found", "6d1b9d4e-0000-4000-8000-000000000000", "..%2f"];

describe("GET /api/servers/:id", () => {
  test("returns the server with the number of its messages", async () => {
    const { id, key } = await door.addServer("counted");
    await door.deliver({ id, key });
    const server = (await door.ask(`GET /api/servers/${id}`, { key })).json<WireServer>();
    expect([server.id, server.name, server.messages]).toEqual([id, "counted", 1]);
  });

  test.each(unknownIds)("responds 404 for %s", async (id) => {
    expect((await door.ask(`GET /api/servers/${id}`)).statusCode).toBe(404);
  });
});
