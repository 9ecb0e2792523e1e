import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpDoor, type HttpDoor } from "../../../testing/http-door.test-aid.ts";
import type { WirePassword } from "../../wire/server-schema.ts";

let door: HttpDoor;
beforeAll(async () => {
  door = await openHttpDoor();
});
afterAll(async () => door[Symbol.asyncDispose]());

describe("POST /api/servers/:id/password", () => {
  test("replaces the password and returns the new one", async () => {
    const { id, key } = await door.addServer();
    const path = `/api/servers/${id}/password`;
    const old = (await door.ask(`GET ${path}`)).json<WirePassword>();
    const reset = await door.ask(`POST ${path}`, { key });
    expect(reset.statusCode).toBe(200);
    expect(reset.json<WirePassword>().value).toMatch(/^[\w-]{16}$/);
    expect(reset.json<WirePassword>()).not.toEqual(old);
    expect((await door.ask(`GET ${path}`)).json()).toEqual(reset.json());
  });

  test.each(["aaaaaaaa", "not_found"])("responds 404 for an unknown server: %s", async (id) => {
    expect((await door.ask(`POST /api/servers/${id}/password`)).statusCode).toBe(404);
  });

  test("rejects a key with the scope read", async () => {
    const { id } = await door.addServer();
    const created = await door.ask("POST /api/keys", { body: { server: id, scope: "read" } });
    const { key } = created.json<{ key: string }>();
    expect((await door.ask(`POST /api/servers/${id}/password`, { key })).statusCode).toBe(403);
  });
});
