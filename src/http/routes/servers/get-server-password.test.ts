import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpDoor, type HttpDoor } from "../../../testing/http-door.test-aid.ts";

let door: HttpDoor;

beforeAll(async () => {
  door = await openHttpDoor();
});
afterAll(async () => door[Symbol.asyncDispose]());

const unknownIds = ["aaaaaaaa", "not_found", "6d1b9d4e-0000-4000-8000-000000000000", "..%2f"];

describe("GET /api/servers/:id/password", () => {
  test("returns the same password each time, of at least eight characters", async () => {
    const { id } = await door.addServer();
    const { value } = (await door.ask(`GET /api/servers/${id}/password`)).json<{ value: string }>();
    expect(value.length).toBeGreaterThanOrEqual(8);
    expect((await door.ask(`GET /api/servers/${id}/password`)).json()).toEqual({ value });
  });

  test.each(unknownIds)("responds 404 for %s", async (id) => {
    expect((await door.ask(`GET /api/servers/${id}/password`)).statusCode).toBe(404);
  });
});
