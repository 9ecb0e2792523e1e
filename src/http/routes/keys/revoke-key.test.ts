import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpDoor, type HttpDoor } from "../../../testing/http-door.test-aid.ts";
import type { WireNewKey } from "../../wire/key-schema.ts";

let door: HttpDoor;

beforeAll(async () => {
  door = await openHttpDoor();
});
afterAll(async () => door[Symbol.asyncDispose]());

const create = async (body: unknown): Promise<WireNewKey> => (await door.ask("POST /api/keys", { body })).json();

describe("DELETE /api/keys/:id", () => {
  test("revokes the key", async () => {
    const created = await create({});
    expect((await door.ask(`DELETE /api/keys/${created.id}`)).statusCode).toBe(204);
    expect((await door.ask("GET /api/servers", { key: created.key })).statusCode).toBe(401);
    expect((await door.ask(`DELETE /api/keys/${created.id}`)).statusCode).toBe(404);
  });

  test("responds 409 for the key of the request itself", async () => {
    const created = await create({});
    expect((await door.ask(`DELETE /api/keys/${created.id}`, { key: created.key })).statusCode).toBe(409);
    expect((await door.ask("GET /api/servers", { key: created.key })).statusCode).toBe(200);
  });

  test("responds 404 for an unknown key", async () => {
    expect((await door.ask("DELETE /api/keys/nonsense")).statusCode).toBe(404);
  });

  test("responds 403 to a restricted key", async () => {
    const { key } = await door.addServer();
    expect((await door.ask("DELETE /api/keys/x", { key })).statusCode).toBe(403);
  });
});
