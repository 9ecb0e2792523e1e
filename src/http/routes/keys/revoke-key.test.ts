import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpDoor, type HttpDoor } from "../../../testing/http-door.ts";
import type { WireNewKey } from "../../wire/key-schema.ts";

let door: HttpDoor;

beforeAll(async () => {
  door = await openHttpDoor();
});
afterAll(async () => door[Symbol.asyncDispose]());

const create = async (body: unknown): Promise<WireNewKey> => (await door.ask("POST /api/keys", { body })).json();

describe("DELETE /api/keys/:id", () => {
  test("204: the key opens nothing any more", async () => {
    const made = await create({});
    expect((await door.ask(`DELETE /api/keys/${made.id}`)).statusCode).toBe(204);
    expect((await door.ask("GET /api/servers", { key: made.key })).statusCode).toBe(401);
    expect((await door.ask(`DELETE /api/keys/${made.id}`)).statusCode).toBe(404);
  });

  test("409: the key of the very request", async () => {
    const made = await create({});
    expect((await door.ask(`DELETE /api/keys/${made.id}`, { key: made.key })).statusCode).toBe(409);
    expect((await door.ask("GET /api/servers", { key: made.key })).statusCode).toBe(200);
  });

  test("404: what never was", async () => {
    expect((await door.ask("DELETE /api/keys/nonsense")).statusCode).toBe(404);
  });

  test("403: a restricted key", async () => {
    const { key } = await door.addServer();
    expect((await door.ask("DELETE /api/keys/x", { key })).statusCode).toBe(403);
  });
});
