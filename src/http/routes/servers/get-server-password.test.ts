import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer } from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const unknownIds = ["aaaaaaaa", "not_found", "6d1b9d4e-0000-4000-8000-000000000000", "..%2f"];

describe("GET /api/servers/:id/password", () => {
  test("returns the same password each time, of at least eight characters", async () => {
    const { id } = await api.addServer();
    const { value } = (await api.ask(`GET /api/servers/${id}/password`)).json<{ value: string }>();
    expect(value.length).toBeGreaterThanOrEqual(8);
    expect((await api.ask(`GET /api/servers/${id}/password`)).json()).toEqual({ value });
  });

  test.each(unknownIds)("responds 404 for %s", async (id) => {
    expect((await api.ask(`GET /api/servers/${id}/password`)).statusCode).toBe(404);
  });
});
